// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Life is a world as AtEveryCall uses it: W is a controller's own kind of world around a World.
type Life[W any, T client.Object] struct {
	// New makes a world, World returns the one inside.
	New   func(*testing.T) W
	World func(W) *World[T]
	// Start makes a controller with a client of the API server.
	Start func(W, client.WithWatch) reconcile.Reconciler
	// Between is done after each reconciliation.
	Between func(W)
}

// Case is what happens around a run that is struck.
type Case[W any] struct {
	// Prepare makes the world up to the run that is struck.
	Prepare func(W)
	// Then, if set, is done before the next controller comes.
	Then func(W, *Run)
	// Check looks at what the next controller made of it.
	Check func(W)
	// Moments are those at which calls are struck; all without.
	Moments []Moment
	// Least is how many calls the run makes at least.
	Least int
}

// AtEveryCall runs a case with a controller that is killed at its first call, its second, and so on, until it comes to rest
// before.
func (l Life[W, T]) AtEveryCall(t *testing.T, of Case[W]) {
	t.Helper()
	moments := of.Moments
	if moments == nil {
		moments = Moments
	}
	for _, when := range moments {
		t.Run(string(when), func(t *testing.T) {
			for nth := 1; ; nth += stride() {
				w := l.New(t)
				of.Prepare(w)
				struck := l.KillAt(w, nth, when)
				if !struck.Dead() {
					require.Greater(t, nth, of.Least, "the run makes calls")
					t.Logf("at rest before call %d", nth)
					return
				}
				t.Logf("%s call %d", when, nth)
				if of.Then != nil {
					of.Then(w, struck)
				}
				l.World(w).Settle(l.Start(w, l.World(w).Store), struck.Arrive, func() { l.Between(w) })
				of.Check(w)
			}
		})
	}
}

// stride returns how far apart the calls are that are struck: each one, and with -short one in seven. The race detector makes
// these tests ten times slower, and finds nothing more at the other calls.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// KillAt runs a controller of a world until it comes to rest or is killed at its nth call.
func (l Life[W, T]) KillAt(w W, nth int, when Moment) *Run {
	return l.World(w).KillAt(nth, when, func(api client.WithWatch) reconcile.Reconciler { return l.Start(w, api) }, func() { l.Between(w) })
}
