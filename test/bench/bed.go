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

// bed is a cluster that serves both ways.
type bed struct {
	plan      plan
	cluster   *cluster.Cluster
	roadstead *install.Installation
	webhook   *process.Process
	profiler  profiler
	profiles  string // "host:port" of the webhook's profiles
	admin     kubernetes.Interface

	// The clients through and past authenticate as the ServiceAccount. The requests of through are
	// sent to kube-apiserver, those of past directly to roadstead-apiserver. The other two do the
	// same as a member of system:masters, for profiles and setup.
	through, past, asAdmin, asAdminPast *http.Client

	mu   sync.Mutex
	pids map[string]int
}

// newBed starts everything, Roadstead's programs from the directory bin. Profiles of turns are
// written to the directory profiles unless it is empty. The caller must call stop.
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

// startCluster starts a cluster that only the benchmark uses. Its etcd syncs to disk, as
// Roadstead's does.
func (b *bed) startCluster(ctx context.Context) (err error) {
	// The directory must be on a disk: /tmp is in memory on many machines.
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

// roadsteadDir returns the work directory of the installation. Its store is in the subdirectory
// "etcd".
func (b *bed) roadsteadDir() string { return filepath.Join(b.cluster.Dir(), "roadstead") }

// stop ends everything that was started and removes the work directory.
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

// processes returns the processes whose CPU and memory are measured, by name.
func (b *bed) processes() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return map[string]int{
		cluster.APIServer: b.pids[cluster.APIServer], cluster.Etcd: b.pids[cluster.Etcd],
		install.APIServer: b.roadstead.APIServer().PID(), "webhook": b.webhook.PID(),
	}
}

// versions returns the versions of Roadstead and Kubernetes from the cluster.
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

// pastHost redirects a configuration to roadstead-apiserver, whose certificate is for its Service.
func pastHost(config *rest.Config, address string) {
	config.Host = "https://" + address
	config.TLSClientConfig.CAData, config.TLSClientConfig.CAFile, config.TLSClientConfig.Insecure = nil, "", true
}

// say logs progress to standard error, because the table is written to standard output.
func (b *bed) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
