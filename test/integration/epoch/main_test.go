// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package epoch tests what clients and the garbage collector see when the etcd behind one or more API servers is
// exchanged for another one, and when what the cluster knows of the store is lost or edited.
package epoch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/chaos/wire"
	"roadstead.dev/roadstead/test/fakes/balancer"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env *framework.Env
	// service stands for the Service roadstead-apiserver.
	service *balancer.Balancer
	// links lead API servers, by their names, to an etcd.
	links = map[string]*wire.Link{}
	// stores are all etcds.
	stores etcds
	// truth is what the right store holds.
	truth timeline
)

// replica is an API server and its connection to etcd.
type replica struct {
	*install.Program
	etcd *wire.Link
}

// replicas returns the first API servers.
func replicas(count int) []replica {
	var all []replica
	for _, server := range env.Roadstead.APIServers()[:count] {
		all = append(all, replica{server, links[server.Name()]})
	}
	return all
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	code = 1
	var ends []func() error
	defer func() {
		for _, end := range slices.Backward(ends) {
			if err := end(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}()
	err := start(context.Background(), func(end func() error) { ends = append(ends, end) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// start starts everything and hands each end to later, in the order of the start.
func start(ctx context.Context, later func(func() error)) error {
	control, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return err
	}
	later(control.Stop)
	if err := stores.start(ctx, control, later); err != nil {
		return err
	}
	// The third one is for a rollout.
	for _, name := range []string{install.APIServer, install.APIServer + "-2", install.APIServer + "-3"} {
		link, err := wire.Start(name, stores.foreign.Address())
		if err != nil {
			return err
		}
		later(link.Stop)
		links[name] = link
	}
	port, err := control.ReservePort()
	if err != nil {
		return err
	}
	service, err = balancer.Start(balancer.Options{Address: net.JoinHostPort("127.0.0.1", port), Probe: install.Ready})
	if err != nil {
		return err
	}
	later(service.Stop)
	// The first store is the foreign one: a real installation makes it.
	roadstead, err := install.Install(ctx, install.Options{
		Cluster: control, Dir: filepath.Join(control.Dir(), "roadstead"), Front: service, WithoutController: true, Restart: true,
		Etcd: func(program string) string { return "http://" + links[program].Address() },
	})
	if err != nil {
		return err
	}
	later(roadstead.Stop)
	admin, err := kubernetes.NewForConfig(control.AdminConfig())
	if err != nil {
		return err
	}
	env = &framework.Env{Cluster: control, Roadstead: roadstead, Admin: admin}
	if err := prepare(ctx, later); err != nil {
		return fmt.Errorf("prepare the stores: %w", err)
	}
	return nil
}

// redirect leads API servers to an etcd.
func redirect(to *framework.Etcd, all []replica) {
	for _, one := range all {
		one.etcd.Redirect(to.Address())
	}
}

// stop stops API servers as a rollout does, so that they tick and clear the Lease.
func stop(all []replica) error {
	var errs []error
	for _, one := range all {
		errs = append(errs, one.Stop())
	}
	return errors.Join(errs...)
}
