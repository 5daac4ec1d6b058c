// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package epoch tests the responses to clients and the garbage collector when the etcd of one or
// more API servers is replaced with another one, and when the records of the store in the cluster
// are lost or edited.
package epoch

import (
	"context"
	"errors"
	"net"
	"testing"

	"roadstead.dev/roadstead/test/chaos/wire"
	"roadstead.dev/roadstead/test/fakes/balancer"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

var (
	env *framework.Env
	// service stands for the Service roadstead-apiserver.
	service *balancer.Balancer
	// links connect the API servers, by name, to an etcd.
	links = map[string]*wire.Link{}
	// stores are all etcds.
	stores etcds
	// truth is the content of the right store.
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

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithBefore(startStores), framework.WithInstall(func(o *install.Options) {
		// The first store is the foreign one: it is created by a real installation.
		o.Front, o.Restart = service, true
		o.Etcd = func(program string) string { return "http://" + links[program].Address() }
	}), framework.WithAfter(func(ctx context.Context, e *framework.Env) error {
		env = e
		return prepare(ctx, e.AtStop)
	}), framework.WithoutLogCheck())
}

// startStores starts the etcds, the links to them, and the Service of the API servers.
func startStores(ctx context.Context, e *framework.Env) error {
	if err := stores.start(ctx, e.Cluster, e.AtStop); err != nil {
		return err
	}
	// The third link is for a rollout.
	for _, name := range []string{install.APIServer, install.APIServer + "-2", install.APIServer + "-3"} {
		link, err := wire.Start(name, stores.foreign.Address())
		if err != nil {
			return err
		}
		e.AtStop(link.Stop)
		links[name] = link
	}
	port, err := e.Cluster.ReservePort()
	if err != nil {
		return err
	}
	service, err = balancer.Start(balancer.Options{Address: net.JoinHostPort("127.0.0.1", port), Probe: install.Ready})
	if err == nil {
		e.AtStop(service.Stop)
	}
	return err
}

// redirect connects API servers to an etcd.
func redirect(to *framework.Etcd, all []replica) {
	for _, one := range all {
		one.etcd.Redirect(to.Address())
	}
}

// stop stops API servers like a rollout, so that they record the revision and clear the Lease.
func stop(all []replica) error {
	var errs []error
	for _, one := range all {
		errs = append(errs, one.Stop())
	}
	return errors.Join(errs...)
}
