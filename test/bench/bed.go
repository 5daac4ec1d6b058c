// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
	"roadstead.dev/roadstead/test/framework/process"
)

// bed is a cluster in which both ways are served side by side.
type bed struct {
	plan      plan
	cluster   *cluster.Cluster
	roadstead *install.Installation
	webhook   *process.Process
	profiler  profiler
	profiles  string // "host:port" of the webhook's profiles
	admin     kubernetes.Interface

	// through sends as the ServiceAccount through kube-apiserver, past straight to roadstead-apiserver. The others do so as a
	// member of system:masters, for profiles and what is set up.
	through, past, asAdmin, asAdminPast *http.Client

	mu   sync.Mutex
	pids map[string]int
}

// newBed starts everything, our programs from the folder bin. Profiles of turns go to a folder, if one is named. The caller
// stops it.
func newBed(ctx context.Context, how plan, bin, profiles string) (_ *bed, err error) {
	b := &bed{plan: how, profiler: profiler{dir: profiles}, pids: map[string]int{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.stop())
		}
	}()
	if err := b.startCluster(ctx); err != nil {
		return nil, err
	}
	if b.admin, err = kubernetes.NewForConfig(b.cluster.AdminConfig()); err != nil {
		return nil, err
	}
	if b.asAdmin, err = rest.HTTPClientFor(b.cluster.AdminConfig()); err != nil {
		return nil, err
	}
	b.roadstead, err = install.Install(ctx, install.Options{Cluster: b.cluster, BinDir: bin, Dir: b.roadsteadDir(), WithoutController: true})
	if err != nil {
		return nil, err
	}
	if b.asAdminPast, err = rest.HTTPClientFor(b.adminPast()); err != nil {
		return nil, err
	}
	if err := b.installPeer(ctx); err != nil {
		return nil, err
	}
	return b, b.makeAccount(ctx)
}

// startCluster starts a cluster in which nobody but the benchmark does anything. Its etcd syncs to disk, as that of
// Roadstead does.
func (b *bed) startCluster(ctx context.Context) (err error) {
	// A folder on the disk: /tmp is in memory on many machines.
	if err := os.MkdirAll("bin", 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("bin", "bench-")
	if err != nil {
		return err
	}
	b.cluster, err = cluster.Start(ctx, cluster.Options{
		Dir: dir, Minimal: true, AuditLevel: "Metadata",
		EtcdArgs: []string{"--unsafe-no-fsync=false", "--enable-pprof"},
		OnStart: func(p cluster.Process) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.pids[p.Name] = p.PID
		},
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return nil
}

// roadsteadDir is the work folder of the installation; its store is in the folder "etcd" of that.
func (b *bed) roadsteadDir() string { return filepath.Join(b.cluster.Dir(), "roadstead") }

// stop ends everything that was started and removes the work folder.
func (b *bed) stop() error {
	var errs []error
	if b.roadstead != nil {
		errs = append(errs, b.roadstead.Stop())
	}
	if b.webhook != nil {
		errs = append(errs, b.webhook.Kill())
	}
	if b.cluster != nil {
		errs = append(errs, b.cluster.Stop(), os.RemoveAll(b.cluster.Dir()))
	}
	return errors.Join(errs...)
}

// processes are those whose CPU and memory count, by name.
func (b *bed) processes() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return map[string]int{
		cluster.APIServer: b.pids[cluster.APIServer], cluster.Etcd: b.pids[cluster.Etcd],
		install.APIServer: b.roadstead.APIServer().PID(), "webhook": b.webhook.PID(),
	}
}

// versions asks the cluster, which knows both.
func (b *bed) versions() (Versions, error) {
	host, err := b.admin.Discovery().ServerVersion()
	if err != nil {
		return Versions{}, err
	}
	client, err := kubernetes.NewForConfigAndClient(b.adminPast(), b.asAdminPast)
	if err != nil {
		return Versions{}, err
	}
	ours, err := client.Discovery().ServerVersion()
	if err != nil {
		return Versions{}, err
	}
	return Versions{Roadstead: ours.GitVersion, Kubernetes: host.GitVersion}, nil
}

func (b *bed) adminPast() *rest.Config {
	config := b.cluster.AdminConfig()
	pastHost(config, b.roadstead.APIServerAddr())
	return config
}

// pastHost leads a configuration straight to roadstead-apiserver, whose certificate is for its Service.
func pastHost(config *rest.Config, address string) {
	config.Host = "https://" + address
	config.TLSClientConfig.CAData, config.TLSClientConfig.CAFile, config.TLSClientConfig.Insecure = nil, "", true
}

// say tells of progress, on standard error: the table is for standard output.
func (b *bed) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
