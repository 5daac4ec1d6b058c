// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Life defines how AtEveryCall uses a world. W is a controller's own type of world, which contains
// a World.
type Life[W any, T client.Object] struct {
	// New returns a world. World returns the World that it contains.
	New   func(*testing.T) W
	World func(W) *World[T]
	// Start returns a controller with a client of the API server.
	Start func(W, client.WithWatch) reconcile.Reconciler
	// Between is called after each reconciliation.
	Between func(W)
}

// Case defines what happens before and after the run that is killed.
type Case[W any] struct {
	// Prepare brings the world to the state before the run that is killed.
	Prepare func(W)
	// Then is called before the next controller starts. Optional.
	Then func(W, *Run)
	// Check verifies the state that the next controller reaches.
	Check func(W)
	// Moments are the moments at which calls are killed. The default is all.
	Moments []Moment
	// Least is the minimum number of calls of the run.
	Least int
}

// AtEveryCall runs a case with a controller that is killed at its first call, its second, and so
// on, until a run completes before that.
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

// stride returns the distance between the calls at which runs are killed: every call, and with
// -short one in seven. The race detector slows these tests down by a factor of ten, and finds
// nothing more at the other calls.
func stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}

// KillAt runs a controller of a world until it is idle or is killed at its nth call.
func (l Life[W, T]) KillAt(w W, nth int, when Moment) *Run {
	return l.World(w).KillAt(nth, when, func(api client.WithWatch) reconcile.Reconciler { return l.Start(w, api) }, func() { l.Between(w) })
}
