// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
)

func secondLeader(_ context.Context, w *world.World, _ plan.Fault) (injected, error) {
	stop, err := w.Leading()
	if err != nil {
		return injected{}, err
	}
	return injected{what: "one more controller leads", heal: func(context.Context) error { return stop() }}, nil
}

// An upgrade replaces each program by a new one that starts before the old one stops, like a
// Deployment with maxSurge.

func upgradeServers(ctx context.Context, w *world.World, _ plan.Fault) (injected, error) {
	return upgrade(ctx, w, "all API servers are replaced", w.Servers(), w.AddServer)
}

func upgradeControllers(ctx context.Context, w *world.World, _ plan.Fault) (injected, error) {
	return upgrade(ctx, w, "all controllers are replaced", w.Controllers(), w.AddController)
}

func upgrade(ctx context.Context, w *world.World, what string, old []*world.Kept, add func(context.Context) error) (injected, error) {
	for _, k := range old {
		limited, cancel := context.WithTimeout(ctx, healLimit/2)
		err := add(limited)
		cancel()
		if err != nil {
			// The new program keeps starting, as in a Deployment, and the old one stays.
			return injected{what: what + ", but not all", heal: func(context.Context) error { return nil }},
				fmt.Errorf("replace %s: %w", k.Name(), err)
		}
		if err := w.Remove(k); err != nil {
			w.Logf("%s did not end well: %v", k.Name(), err)
		}
	}
	return injected{what: what, heal: func(context.Context) error { return nil }}, nil
}
