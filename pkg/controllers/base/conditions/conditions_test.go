// SPDX-License-Identifier: Apache-2.0

package conditions

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

var mustAct = OneOf(map[string]bool{"Broken": true})

// TestSet_Laws checks invariants after any sequence of conditions: every type occurs once, Ready is
// first, the order depends on the types alone, and Stalled is present if and only if Ready is False
// for a reason that requires action by a user.
func TestSet_Laws(t *testing.T) {
	condition := rapid.Custom(func(t *rapid.T) metav1.Condition {
		return metav1.Condition{
			Type: rapid.SampledFrom([]string{Ready, "Synced", "Deployed", "EndpointReady"}).Draw(t, "type"),
			Status: rapid.SampledFrom([]metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}).Draw(t,
				"status"),
			Reason: rapid.SampledFrom([]string{"Broken", "Waiting"}).Draw(t, "reason"), Message: "text",
			ObservedGeneration: rapid.Int64Range(1, 3).Draw(t, "generation"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var all []metav1.Condition
		for _, one := range rapid.SliceOfN(condition, 1, 8).Draw(t, "conditions") {
			Set(&all, one, mustAct)
			found := meta.FindStatusCondition(all, one.Type)
			require.Equal(t, []any{one.Status, one.Reason, one.ObservedGeneration}, []any{found.Status, found.Reason, found.ObservedGeneration})
		}
		var types []string
		for _, one := range all {
			types = append(types, one.Type)
		}
		sorted := slices.Clone(types)
		slices.Sort(sorted)
		require.Len(t, slices.Compact(slices.Clone(sorted)), len(all), "each type once")
		var want []string
		for _, kind := range []string{Ready, Stalled} {
			if slices.Contains(types, kind) {
				want = append(want, kind)
			}
		}
		for _, kind := range sorted {
			if kind != Ready && kind != Stalled {
				want = append(want, kind)
			}
		}
		require.Equal(t, want, types)
		ready, stalled := meta.FindStatusCondition(all, Ready), meta.FindStatusCondition(all, Stalled)
		if ready == nil || ready.Status != metav1.ConditionFalse || ready.Reason != "Broken" {
			require.Nil(t, stalled)
			return
		}
		require.Equal(t, metav1.ConditionTrue, stalled.Status)
		require.Equal(t, []any{ready.Reason, ready.Message, ready.ObservedGeneration}, []any{stalled.Reason, stalled.Message,
			stalled.ObservedGeneration})
	})
}

func TestSet_KeepsTheTimeOfAnOldTransition(t *testing.T) {
	var all []metav1.Condition
	broken := metav1.Condition{Type: Ready, Status: metav1.ConditionFalse, Reason: "Broken", Message: "one"}
	Set(&all, broken, mustAct)
	since := metav1.Unix(1, 0)
	for i := range all {
		all[i].LastTransitionTime = since
	}
	broken.Message = "another"
	Set(&all, broken, mustAct)
	require.Len(t, all, 2)
	for _, one := range all {
		require.Equal(t, since, one.LastTransitionTime, one.Type)
		require.Equal(t, "another", one.Message, one.Type)
	}
}

func TestTurn(t *testing.T) {
	of := func(status metav1.ConditionStatus, reason string) []metav1.Condition {
		var all []metav1.Condition
		Set(&all, metav1.Condition{Type: Ready, Status: status, Reason: reason}, func(reason string) bool { return reason != "Waiting" })
		return all
	}
	broken, worse, waiting := of(metav1.ConditionFalse, "Broken"), of(metav1.ConditionFalse, "Worse"), of(metav1.ConditionFalse, "Waiting")
	ready, unknown := of(metav1.ConditionTrue, "AsSpecified"), of(metav1.ConditionUnknown, "Pending")
	for name, c := range map[string]struct {
		before, after []metav1.Condition
		stalled       string
		recovered     bool
	}{
		"new object fails":     {unknown, broken, "Broken", false},
		"no status before":     {nil, broken, "Broken", false},
		"ready one fails":      {ready, broken, "Broken", false},
		"another reason":       {broken, worse, "Worse", false},
		"the same reason":      {broken, broken, "", false},
		"recovers":             {broken, ready, "", true},
		"is tried again":       {broken, unknown, "", false},
		"waits":                {unknown, waiting, "", false},
		"was only waiting":     {waiting, ready, "", false},
		"waits for others now": {broken, waiting, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			stalled, recovered := Turn(c.before, c.after)
			require.Equal(t, c.recovered, recovered)
			if c.stalled == "" {
				require.Nil(t, stalled)
				return
			}
			require.Equal(t, c.stalled, stalled.Reason)
		})
	}
}
