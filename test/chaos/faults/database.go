// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
)

// The database of Takaro may be replaced by another one or by an older copy. This must not cause
// anything to be deleted or created, unless the objects are missing for a longer time.

// databases is the number of other databases. Each is served several times, so that what was
// created there returns.
const databases = 2

func forgetTakaro(_ context.Context, w *world.World, fault plan.Fault) (injected, error) {
	name := fmt.Sprintf("other-%d", fault.Pick%databases)
	back, err := w.ForgetTakaro(name)
	if err != nil {
		return injected{}, err
	}
	return injected{what: "Takaro serves database " + name, heal: func(context.Context) error { back(); return nil }}, nil
}

func rollBackTakaro(_ context.Context, w *world.World, _ plan.Fault) (injected, error) {
	back, err := w.RollBackTakaro()
	if err != nil {
		return injected{}, err
	}
	return injected{what: "Takaro is rolled back to this moment", heal: func(context.Context) error { return back() }}, nil
}
