// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

func TestDispose(t *testing.T) {
	held := func(w *world) { w.hold(ownership.Created) }
	down := func(w *world) { w.fate = func(string) effect { return unsent } }
	intend := func(age time.Duration) func(*world) {
		return func(w *world) {
			w.stored.Records = ownership.Ledger(w.stored.Records).Intend(testSlot, w.now.Add(-age))
		}
	}
	for name, c := range map[string]struct {
		policy ownership.Policy
		given  []func(*world)
		calls  string
		left   string
		things int
		err    string
	}{
		"delete": {given: []func(*world){held}, calls: "observe, look, delete, notify Delete, look, notify Done"},
		"deleted before": {given: []func(*world){held, func(w *world) { delete(w.things, "id-1") }},
			calls: "observe, look, notify Done"},
		"delete without an answer": {given: []func(*world){held, func(w *world) { w.fate = fateOf("delete", answered) }},
			calls: "observe, look, delete", err: "no answer"},
		"delete without effect": {given: []func(*world){held, func(w *world) { w.fate = fateOf("delete", unsent) }},
			calls: "observe, look, delete", err: "no answer", things: 1},
		"still there": {given: []func(*world){held, func(w *world) { w.object.Delete = noDelete(w) }},
			calls: "observe, look, delete, notify Delete, look", err: ownership.ReasonSearchIncomplete, things: 1},
		"nothing recorded, unavailable": {given: []func(*world){down}, calls: "notify Done"},
		"nothing recorded, found by key": {given: []func(*world){func(w *world) { w.add(testKey, true) }},
			calls: "notify Done", things: 1},
		"unavailable": {given: []func(*world){held, down}, calls: "observe", err: "no answer", things: 1},
		"not verified": {given: []func(*world){held, func(w *world) { w.object.Endpoint.Verified = false }},
			calls: "", err: ownership.ReasonEndpointVerifying, things: 1},
		"held back": {given: []func(*world){held, func(w *world) { w.object.Endpoint.DeletionHold = "kubectl annotate …" }},
			calls: "observe", err: ownership.ReasonDeletionHeld, things: 1},
		"adopted": {given: []func(*world){func(w *world) { w.hold(ownership.Adopted); w.object.Want.Name = testName }},
			calls: "observe, look, delete, notify Delete, look, notify Done"},
		"found": {given: []func(*world){func(w *world) { w.hold(ownership.Found) }},
			calls: "observe, notify Leave", things: 1},
		"given away": {given: []func(*world){held, func(w *world) { w.things["id-1"].Reference = "somebody" }},
			calls: "observe", err: ownership.ReasonReferenceChanged, things: 1},
		"young intent": {given: []func(*world){intend(time.Minute)}, calls: "observe", err: ownership.ReasonCreateUnclear},
		"old intent":   {given: []func(*world){intend(time.Hour)}, calls: "observe, look, notify Done"},
		"intent with its object": {given: []func(*world){intend(time.Minute), func(w *world) { w.add(testKey, false) }},
			calls: "observe, look, store, delete, notify Delete, look, notify Done"},
		"intent with its object, not kept": {given: []func(*world){intend(time.Minute), func(w *world) {
			w.add(testKey, false)
			w.fate = fateOf("store", dropped)
		}},
			calls: "observe, look, store", err: ownership.ReasonLedgerNotKept, things: 1},

		"disable": {policy: ownership.PolicyDisable, given: []func(*world){held},
			calls: "observe, look, mark, disable, notify Disable", things: 1},
		"disable, mark refused": {policy: ownership.PolicyDisable,
			given: []func(*world){held, func(w *world) { w.fate = fateOf("mark", refused) }},
			calls: "observe, look, mark", err: "no answer", things: 1},
		"disable refused": {policy: ownership.PolicyDisable,
			given: []func(*world){held, func(w *world) { w.fate = fateOf("disable", refused) }},
			calls: "observe, look, mark, disable", err: "no answer", things: 1},

		"retain": {policy: ownership.PolicyRetain, given: []func(*world){held}, calls: "observe, mark, notify Done", things: 1},
		"retain, unavailable": {policy: ownership.PolicyRetain, given: []func(*world){held, down},
			calls: "observe, notify Done", left: "id-1", things: 1},
		"retain, mark refused": {policy: ownership.PolicyRetain,
			given: []func(*world){held, func(w *world) { w.fate = fateOf("mark", refused) }},
			calls: "observe, mark, notify Done", left: "id-1", things: 1},
		"retain, not verified": {policy: ownership.PolicyRetain,
			given: []func(*world){held, func(w *world) { w.object.Endpoint.Verified = false }},
			calls: "observe, notify Done", left: "id-1", things: 1},
		"retain, held back": {policy: ownership.PolicyRetain,
			given: []func(*world){held, func(w *world) { w.object.Endpoint.DeletionHold = "kubectl annotate …" }},
			calls: "observe, mark, notify Done", things: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.object.Want.Delete, w.object.Want.Policy = true, c.policy
			for _, given := range c.given {
				given(w)
			}
			_, err := w.reconcile()
			require.Equal(t, c.calls, strings.Join(w.calls, ", "))
			require.Equal(t, c.left, strings.Join(w.left, ", "))
			require.Len(t, w.things, c.things)
			requireReason(t, c.err, err)
		})
	}
}

// noDelete confirms a delete without executing it.
func noDelete(w *world) func(context.Context, string) error {
	return func(context.Context, string) error { w.call("delete"); return nil }
}

// A context that ended is no evidence about the outside system.
func TestDispose_ContextEnds(t *testing.T) {
	w := newWorld(t)
	w.hold(ownership.Created)
	w.object.Want.Delete, w.object.Want.Policy = true, ownership.PolicyRetain
	w.draft = w.stored.DeepCopy()
	ctx, cancel := context.WithCancel(t.Context())
	w.object.Observe = func(context.Context, bool) (ownership.Observed, error) {
		cancel()
		return ownership.Observed{}, ctx.Err()
	}
	_, err := Dispose(ctx, w.object)
	require.ErrorIs(t, err, context.Canceled)
}
