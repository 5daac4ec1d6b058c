// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// Whatever happens to the process and its requests, and whichever other clients write: no foreign
// object is changed or deleted, no held object is deleted while its API object exists, and at the
// end the API object has one outside object or, once it is deleted, none. world.own and
// world.delete check each request. The cases that a ledger is lost or the outside system is
// replaced are tested with ownership.Decide.
func TestModelRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.object.Want.Name = rapid.SampledFrom([]string{"", testName}).Draw(t, "name")
		w.object.Want.Policy = rapid.SampledFrom([]ownership.Policy{
			ownership.PolicyDelete, ownership.PolicyDelete, ownership.PolicyDisable, ownership.PolicyRetain,
		}).Draw(t, "policy")
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			w.event(t)
			w.kills = rapid.IntRange(-6, 12).Draw(t, "kills")
			w.fate = func(call string) effect { return fates[call].Draw(t, call) }
			_, _ = w.reconcile()
			w.pass(time.Duration(rapid.SampledFrom([]int{1, 15, 40, 70, 300}).Draw(t, "pause")) * time.Second)
			if w.ended {
				break
			}
		}
		err := w.settle()
		w.requireSettled(err)
	})
}

// fates are the possible outcomes of each call. An outcome is weighted by how often it is listed.
var fates = map[string]*rapid.Generator[effect]{
	"store":   rapid.SampledFrom([]effect{done, done, done, done, unsent, answered, dropped}),
	"observe": rapid.SampledFrom([]effect{done, done, done, done, unsent}),
	"look":    rapid.SampledFrom([]effect{done, done, done, done, unsent}),
	"create":  rapid.SampledFrom([]effect{done, done, refused, unsent, answered, late}),
	"change":  rapid.SampledFrom([]effect{done, done, unsent, answered}),
	"delete":  rapid.SampledFrom([]effect{done, done, unsent, answered}),
	"mark":    rapid.SampledFrom([]effect{done, done, unsent, answered}),
	"disable": rapid.SampledFrom([]effect{done, done, unsent, answered}),
}

// event is one change that happens between two runs.
func (w *world) event(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0: // another client uses the name in the spec
		if !w.taken(testName) {
			w.add(testName, true)
		}
	case 1: // the object of another client is deleted
		for id, each := range w.things {
			if each.foreign && !w.records(id) {
				delete(w.things, id)
			}
		}
	case 2: // another client deletes the held object while no create is in flight
		record, _ := ownership.Ledger(w.stored.Records).Current(testSlot)
		if record.State == ownership.Held && len(w.late) == 0 {
			delete(w.things, record.ID)
		}
	case 3:
		w.object.Want.Adopt = w.object.Want.Name != "" && rapid.Bool().Draw(t, "adopt")
	case 4:
		w.object.Endpoint.Verified = !w.object.Endpoint.Verified
	case 5:
		w.object.Want.Delete = w.object.Want.Delete || rapid.IntRange(0, 2).Draw(t, "delete") == 0
	}
}

func (w *world) records(id string) bool {
	return slices.ContainsFunc(w.stored.Records, func(r ownership.Record) bool { return r.ID == id })
}

// requireSettled checks the end state of a run without faults.
func (w *world) requireSettled(err error) {
	var stopped *StoppedError
	if errors.As(err, &stopped) {
		allowed := []string{ownership.ReasonTaken, ownership.ReasonNothingToAdopt}
		if !w.object.Endpoint.Verified {
			allowed = []string{ownership.ReasonEndpointVerifying}
		}
		require.Contains(w, allowed, stopped.Decision.Reason, "%s", states(w.stored.Records))
		return
	}
	require.NoError(w, err, "%s", states(w.stored.Records))
	if !w.object.Want.Delete {
		w.requireEnd()
	}
	for id, each := range w.things {
		if each.foreign && !w.records(id) {
			require.False(w, each.changed || each.marked || each.disabled, "%s is foreign", id)
		}
		if w.object.Want.Delete && w.object.Want.Policy == ownership.PolicyDelete && !each.foreign {
			require.Fail(w, "left behind", "%s: %s", id, states(w.stored.Records))
		}
	}
}
