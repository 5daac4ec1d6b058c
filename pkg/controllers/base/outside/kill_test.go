// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// A process may be killed at each step. The next process must reach the same end state from what it
// left: one recorded object, or none. world.own and world.delete check each request.
func TestKillAtEveryStep(t *testing.T) {
	foreign := func(w *world) { w.add(testName, true) }
	adopting := func(w *world) { foreign(w); w.object.Want.Name, w.object.Want.Adopt = testName, true }
	held := func(w *world) { w.hold(ownership.Created); foreign(w) }
	gone := func(w *world) { held(w); delete(w.things, "id-1"); w.goneSince = w.now.Add(-ownership.VanishedWindow) }
	interrupted := func(w *world) {
		foreign(w)
		w.stored.Records = ownership.Ledger(w.stored.Records).Intend(testSlot, w.now.Add(-ownership.CreateWindow))
		w.add(testKey, false)
	}
	deleting := func(policy ownership.Policy, given func(*world)) func(*world) {
		return func(w *world) { given(w); w.object.Want.Delete, w.object.Want.Policy = true, policy }
	}
	for name, c := range map[string]struct {
		given  func(*world)
		things int // at the end, without the foreign one
	}{
		"create":                     {func(w *world) { foreign(w) }, 1},
		"adopt":                      {adopting, 0},
		"replace what vanished":      {gone, 1},
		"replace an interrupted one": {interrupted, 1},
		"delete":                     {deleting(ownership.PolicyDelete, held), 0},
		"delete an interrupted one":  {deleting(ownership.PolicyDelete, interrupted), 0},
		"disable":                    {deleting(ownership.PolicyDisable, held), 1},
		"retain":                     {deleting(ownership.PolicyRetain, held), 1},
	} {
		t.Run(name, func(t *testing.T) {
			killed := true
			for at := 0; killed; at++ {
				require.Less(t, at, 60)
				w := newWorld(t)
				c.given(w)
				w.kills = at
				_, _ = w.reconcile()
				killed = w.kills < 0
				err := w.settle()
				require.NoError(t, err, "killed at step %d", at)
				require.Len(t, w.things, c.things+1, "killed at step %d", at)
				w.requireEnd()
			}
		})
	}
}

// requireEnd checks the invariants of the end state.
func (w *world) requireEnd() {
	for id, each := range w.things {
		switch {
		case w.object.Want.Delete && each.foreign:
			require.False(w, each.changed || each.marked || each.disabled)
		case w.object.Want.Delete:
			require.True(w, each.marked, "%s keeps the key of an object that no longer exists", id)
			require.Equal(w, w.object.Want.Policy == ownership.PolicyDisable, each.disabled)
		}
	}
	if w.object.Want.Delete {
		return
	}
	record, _ := ownership.Ledger(w.stored.Records).Current(testSlot)
	require.Equal(w, ownership.Held, record.State)
	require.True(w, w.things[record.ID].changed)
	require.True(w, w.secrets[record.ID] || record.Origin == ownership.Adopted, "the once-only data of %s is lost", record.ID)
}
