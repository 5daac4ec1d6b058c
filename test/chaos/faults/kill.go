// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/framework/cluster"
)

func killServer(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return kill(pick(w.Servers(), fault))
}

func killController(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return kill(pick(w.Controllers(), fault))
}

func kill(k *world.Kept) (injected, error) {
	return injected{what: k.Name() + " is killed", heal: func(context.Context) error { k.Release(); return nil }}, k.Kill()
}

func killEtcd(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	return killComponent(pick(w.Store.Members(), fault))
}

func killHost(_ context.Context, w *world.World, _ plan.Fault) (injected, error) {
	return killComponent(w.Host.Component(cluster.APIServer))
}

func killComponent(c *cluster.Component) (injected, error) {
	return injected{what: c.Name() + " is killed", heal: c.Start}, c.Kill()
}
