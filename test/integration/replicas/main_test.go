// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package replicas tests several roadstead-apiserver behind one Service, over an etcd of three members with TLS.
package replicas

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/fakes/balancer"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env *framework.Env
	// store is the etcd of the installation.
	store *cluster.EtcdCluster
	// service stands for the Service roadstead-apiserver.
	service *balancer.Balancer
)

// probeEvery is how often the Service looks whether a replica is ready. The shipped manifests let it look more seldom.
const probeEvery = time.Second

// shutdownDelay is above the time that the Service needs to learn that a replica is going.
const shutdownDelay = 3 * probeEvery

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	stop, err := start(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, errors.Join(err, stop()))
		return 1
	}
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// start gives what ends all that it has started.
func start(ctx context.Context) (stop func() error, err error) {
	var ends []func() error
	stop = func() error {
		var errs []error
		for i := range ends {
			errs = append(errs, ends[len(ends)-1-i]())
		}
		return errors.Join(errs...)
	}
	host, err := cluster.Start(ctx, cluster.Options{
		// At this level kube-apiserver tells that it has read a certificate.
		KubeAPIServerArgs: []string{"--v=2"},
	})
	if err != nil {
		return stop, err
	}
	ends = append(ends, host.Stop)
	if store, err = cluster.StartEtcd(ctx, cluster.Options{Dir: filepath.Join(host.Dir(), "store")}); err != nil {
		return stop, err
	}
	ends = append(ends, store.Stop)
	port, err := host.ReservePort()
	if err != nil {
		return stop, err
	}
	service, err = balancer.Start(balancer.Options{Address: net.JoinHostPort("127.0.0.1", port), Probe: install.Ready, Every: probeEvery})
	if err != nil {
		return stop, err
	}
	ends = append(ends, service.Stop)
	roadstead, err := install.Install(ctx, install.Options{
		Cluster: host, Replicas: 3, Front: service, WithoutController: true,
		APIServerArgs: append(store.ServerArgs(), fmt.Sprint("--shutdown-delay-duration=", shutdownDelay)),
	})
	if err != nil {
		return stop, err
	}
	ends = append(ends, roadstead.Stop)
	admin, err := kubernetes.NewForConfig(host.AdminConfig())
	env = &framework.Env{Cluster: host, Roadstead: roadstead, Admin: admin}
	return stop, err
}
