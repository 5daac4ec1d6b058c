// SPDX-License-Identifier: Apache-2.0

// Package disk fills the disk under an embedded store while a client writes.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/chaos/observe"
	"roadstead.dev/roadstead/test/chaos/workload"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Options configure Run.
type Options struct {
	Dir, BinDir string
	Out         io.Writer
}

const (
	// before, during and after are the numbers of objects that are written.
	before, during, after = 40, 40, 10
	// requestLimit is the timeout of the client's requests.
	requestLimit = 3 * time.Second
	// backLimit is how long the server may take to serve again once the disk has free space.
	backLimit = 2 * time.Minute
)

// Run fills the disk, frees space again, kills the server, and checks after each step that no
// acknowledged write is lost.
func Run(ctx context.Context, options Options) (found []check.Violation, err error) {
	s := &store{Options: options, history: history.New(time.Now())}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	s.logf("an embedded store is set up on %s", s.room)
	if err := s.write(ctx, before); err != nil {
		return nil, fmt.Errorf("a write that nothing is in the way of: %w", err)
	}
	if err := s.room.fill(s.server.PID()); err != nil {
		return nil, err
	}
	failed := s.write(ctx, during)
	s.logf("the disk is full, the server runs: %t, a client is told: %v", s.server.Running(), failed)
	if failed == nil {
		return nil, errors.New("a full disk kept no write from being acknowledged: the fault did not work")
	}
	if err := s.room.free(s.server.PID()); err != nil {
		return nil, err
	}
	found, err = s.back(ctx, "there is room again")
	if err != nil || len(found) > 0 {
		return found, err
	}
	if err := s.write(ctx, after); err != nil {
		return nil, fmt.Errorf("a write after there is room again: %w", err)
	}
	if err := s.server.Kill(); err != nil {
		return nil, err
	}
	return s.back(ctx, "the server was killed")
}

// store is a server with an embedded store on a separate disk.
type store struct {
	Options
	host      *cluster.Cluster
	roadstead *install.Installation
	server    *install.Program
	room      room
	client    dynamic.ResourceInterface
	all       dynamic.Interface
	history   *history.History
	ends      []func() error

	made int
}

func (s *store) logf(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format+"\n", args...) }

func (s *store) stop() error {
	var errs []error
	for i := range s.ends {
		errs = append(errs, s.ends[len(s.ends)-1-i]())
	}
	return errors.Join(errs...)
}

func (s *store) start(ctx context.Context) (err error) {
	if s.host, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(s.Dir, "cluster"), Minimal: true}); err != nil {
		return err
	}
	s.ends = append(s.ends, s.host.Stop)
	data := filepath.Join(s.Dir, "data")
	if s.room, err = newRoom(data); err != nil {
		return err
	}
	s.ends = append(s.ends, s.room.close)
	s.roadstead, err = install.Install(ctx, install.Options{
		Cluster: s.host, BinDir: s.BinDir, Dir: filepath.Join(s.Dir, "roadstead"), WithoutController: true,
		APIServerArgs: []string{"--data-dir=" + filepath.Join(data, "etcd")},
	})
	if err != nil {
		return err
	}
	s.server = s.roadstead.APIServer()
	s.ends = append(s.ends, s.server.Kill) // it may not react to SIGTERM
	config := s.host.AdminConfig()
	config.Timeout, config.WarningHandler = requestLimit, rest.NoWarnings{}
	if s.all, err = dynamic.NewForConfig(config); err != nil {
		return err
	}
	s.client = s.all.Resource(observe.Resources[check.Domain]).Namespace(metav1.NamespaceDefault)
	return nil
}

// write creates count objects and returns the first error. Each object is large, so that the store
// has to grow.
func (s *store) write(ctx context.Context, count int) (failed error) {
	for range count {
		s.made++
		mark := s.history.Mark()
		w := history.Write{ID: mark, Verb: history.Create, Begin: time.Now(), Key: history.Key{Kind: check.Domain,
			Namespace: metav1.NamespaceDefault, Name: fmt.Sprintf("domain%d", s.made)}}
		answer, err := s.client.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "takaro.roadstead.dev/v1alpha1", "kind": check.Domain,
			"metadata": map[string]any{"name": w.Key.Name, "annotations": map[string]any{observe.MarkAnnotation: strconv.Itoa(mark),
				"chaos.roadstead.test/padding": strings.Repeat("x", 100<<10)}},
			"spec": map[string]any{"takaroApiUrl": "https://api.takaro.example"},
		}}, metav1.CreateOptions{})
		w.End, w.Outcome = time.Now(), workload.Outcome(w.Verb, err)
		if err != nil {
			w.Note = err.Error()
			if failed == nil {
				failed = err
			}
		} else {
			w.UID, w.Version = string(answer.GetUID()), answer.GetResourceVersion()
		}
		s.history.Add(w)
	}
	return failed
}

// back restarts the server if it has ended, as a kubelet does, waits until it serves, and checks
// the stored objects.
func (s *store) back(ctx context.Context, why string) ([]check.Violation, error) {
	ctx, cancel := context.WithTimeout(ctx, backLimit)
	defer cancel()
	begin := time.Now()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		err := s.server.Start(ctx)
		if err == nil {
			var stored []check.Object
			if stored, err = observe.Stored(ctx, s.all); err == nil {
				s.logf("%s: it serves after %s, %d objects", why, time.Since(begin).Round(100*time.Millisecond), len(stored))
				return check.Writes(s.history.Writes(), stored), nil
			}
		}
		select {
		case <-ctx.Done():
			return []check.Violation{{Rule: check.Unsettled, Text: fmt.Sprintf("%s, and after %s the server does not serve: %v",
				why, backLimit, err)}}, nil
		case <-ticker.C:
		}
	}
}
