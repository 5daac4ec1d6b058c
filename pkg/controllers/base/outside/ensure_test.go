// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// fateOf assigns a fate to the calls with the given name.
func fateOf(name string, fate effect) func(string) effect {
	return func(call string) effect {
		if call == name {
			return fate
		}
		return done
	}
}

func states(records []ownership.Record) string {
	var all []string
	for _, r := range records {
		all = append(all, strings.TrimSuffix(string(r.State)+" "+r.ID, " "))
	}
	return strings.Join(all, ", ")
}

func TestEnsure(t *testing.T) {
	intend := func(w *world) {
		w.stored.Records = ownership.Ledger(w.stored.Records).Intend(testSlot, w.now.Add(-time.Minute))
	}
	for name, c := range map[string]struct {
		given func(*world)
		calls string
		want  string // the records that are stored after the run
		err   string // the reason of a *StoppedError, or a part of another error
	}{
		"create": {given: func(*world) {}, calls: "observe, store, create, notify Create, store", want: "Held id-1"},
		"create refused": {given: func(w *world) { w.fate = fateOf("create", refused) },
			calls: "observe, store, create, store", want: "", err: "403"},
		"create refused, an earlier one without an answer": {given: func(w *world) { intend(w); w.fate = fateOf("create", refused) },
			calls: "observe, store, create", want: "Intended", err: "403"},
		"create without an answer": {given: func(w *world) { w.fate = fateOf("create", answered) },
			calls: "observe, store, create", want: "Intended", err: "no answer"},
		"intent not kept": {given: func(w *world) { w.fate = fateOf("store", dropped) },
			calls: "observe, store", want: "", err: ownership.ReasonLedgerNotKept},
		"intent not stored": {given: func(w *world) { w.fate = fateOf("store", unsent) },
			calls: "observe, store", want: "", err: "modified"},
		"change":    {given: func(w *world) { w.hold(ownership.Created) }, calls: "observe, change", want: "Held id-1"},
		"no answer": {given: func(w *world) { w.fate = fateOf("observe", unsent) }, calls: "observe", err: "no answer"},
		"endpoint not verified": {given: func(w *world) { w.object.Endpoint = ownership.Endpoint{Reason: ownership.ReasonIdentityChanged} },
			calls: "", err: ownership.ReasonIdentityChanged},
		"found by key": {given: func(w *world) { w.secrets[w.add(testKey, false)] = true },
			calls: "observe, store, notify Adopt, observe, change", want: "Held id-1"},
		"adoption not kept": {given: func(w *world) { w.secrets[w.add(testKey, false)] = true; w.fate = fateOf("store", dropped) },
			calls: "observe, store", err: ownership.ReasonLedgerNotKept},
		"adopt": {given: func(w *world) { w.add(testName, true); w.object.Want.Name, w.object.Want.Adopt = testName, true },
			calls: "observe, store, notify Adopt, observe, change", want: "Held id-1"},
		"taken": {given: func(w *world) { w.add(testName, true); w.object.Want.Name = testName },
			calls: "observe", err: ownership.ReasonTaken},
		"vanished": {given: func(w *world) { delete(w.things, w.hold(ownership.Created)) },
			calls: "observe", want: "Held id-1", err: ownership.ReasonVanished},
		"lost": {given: func(w *world) { delete(w.things, w.hold(ownership.Created)); w.goneSince = w.now.Add(-time.Hour) },
			calls: "observe, store, notify Lose, observe, store, create, notify Create, store", want: "Lost id-1, Held id-2"},
		"regained": {given: func(w *world) {
			w.hold(ownership.Created)
			w.stored.Records = ownership.Ledger(w.stored.Records).Lose(testSlot, w.now)
		}, calls: "observe, store, notify Regain, observe, change", want: "Held id-1"},
		"interrupted create": {given: func(w *world) { intend(w); w.add(testKey, false) },
			calls: "observe, look, store, delete, notify Remove, observe, store, create, notify Create, store", want: "Held id-2"},
		"interrupted create, young": {given: func(w *world) {
			w.stored.Records = ownership.Ledger(w.stored.Records).Intend(testSlot, w.now)
			w.add(testKey, false)
		}, calls: "observe", want: "Intended", err: ownership.ReasonInterruptedCreate},
		"interrupted create with its data": {given: func(w *world) { intend(w); w.secrets[w.add(testKey, false)] = true },
			calls: "observe, store, notify Adopt, observe, change", want: "Held id-1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.given(w)
			_, err := w.reconcile()
			require.Equal(t, c.calls, strings.Join(w.calls, ", "))
			require.Equal(t, c.want, states(w.stored.Records))
			requireReason(t, c.err, err)
		})
	}
}

func requireReason(t *testing.T, want string, err error) {
	t.Helper()
	var stopped *StoppedError
	switch {
	case want == "":
		require.NoError(t, err)
	case errors.As(err, &stopped):
		require.Equal(t, want, stopped.Decision.Reason)
		require.Equal(t, stopped.Decision.Message, err.Error())
		require.NotEmpty(t, err.Error())
	default:
		require.ErrorContains(t, err, want)
	}
}

func TestEnsure_ReturnsID(t *testing.T) {
	w := newWorld(t)
	id, err := w.reconcile()
	require.NoError(t, err)
	require.Equal(t, "id-1", id)
	id, err = w.reconcile()
	require.NoError(t, err)
	require.Equal(t, "id-1", id)
	w.fate = fateOf("change", refused)
	_, err = w.reconcile()
	require.ErrorIs(t, err, errLost)
	require.Equal(t, "Held id-1", states(w.stored.Records))
}

func TestEnsure_EndsIfNothingSettles(t *testing.T) {
	w := newWorld(t)
	observe := w.object.Observe
	w.object.Observe = func(ctx context.Context, live bool) (ownership.Observed, error) {
		w.stored.Records, w.draft.Records, w.things = nil, nil, map[string]*thing{} // another process works on the same object
		w.secrets[w.add(testKey, false)] = true
		return observe(ctx, live)
	}
	_, err := w.reconcile()
	require.ErrorIs(t, err, errUnsettled)
	require.Equal(t, maxSteps, len(slices.DeleteFunc(w.calls, func(call string) bool { return call != "observe" })))
}

func TestRefusedError(t *testing.T) {
	cause := errors.New("quota exceeded")
	err := &RefusedError{Err: cause}
	require.ErrorIs(t, err, cause)
	require.EqualError(t, err, "quota exceeded")
}
