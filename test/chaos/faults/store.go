// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/framework/cluster"
)

// A server that is redirected to a wrong etcd must not answer from it or write to it, and must
// serve again when it reaches the right one.

func exchangeEtcd(ctx context.Context, w *world.World, fault plan.Fault) (injected, error) {
	etcd, err := w.EmptyStore(ctx)
	if err != nil {
		return injected{}, err
	}
	return mislead(w, fault, etcd, "an empty etcd"), nil
}

func rollBackEtcd(ctx context.Context, w *world.World, fault plan.Fault) (injected, error) {
	outgrown, what := fault.Pick&1 == 1, "an older copy of the store"
	if outgrown {
		what += " that has outgrown it"
	}
	etcd, err := w.OlderStore(ctx, outgrown)
	if err != nil {
		return injected{}, err
	}
	return mislead(w, fault, etcd, what), nil
}

func mislead(w *world.World, fault plan.Fault, etcd *cluster.Component, what string) injected {
	servers, who := w.Servers(), "all API servers reach "
	if fault.Pick>>1&1 == 1 {
		servers = servers[int(fault.Pick>>2)%len(servers):][:1]
		who = servers[0].Name() + " reaches "
	}
	back := w.Mislead(servers, etcd)
	return injected{what: who + what, heal: func(context.Context) error { back(); return nil }}
}
