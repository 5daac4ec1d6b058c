// SPDX-License-Identifier: Apache-2.0

// Package conditions sets conditions that tools interpret as users do. kstatus, which Helm and Flux
// rely on, treats Ready=False as work in progress and waits for it until a timeout; it reports an
// object as failed only if the condition Stalled is True. Therefore, as in Flux, Stalled
// accompanies each Ready=False that requires action by a user, and is absent otherwise.
package conditions

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// Ready is the type of the condition that every kind has.
	Ready = "Ready"
	// Stalled is the type of the condition that is True while the object cannot progress until a
	// user acts. It is absent otherwise. See
	// https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md.
	Stalled = "Stalled"
)

// first lists the types that precede all others. The others are sorted by name.
var first = []string{Ready, Stalled}

// Set sets a condition, keeps the condition Stalled consistent with Ready, and sorts all
// conditions: Ready, Stalled, then the others by type. mustAct reports whether an object that is
// not Ready for the given reason requires action by a user.
func Set(conditions *[]metav1.Condition, condition metav1.Condition, mustAct func(reason string) bool) {
	meta.SetStatusCondition(conditions, condition)
	if condition.Type == Ready {
		stall(conditions, condition, mustAct)
	}
	slices.SortStableFunc(*conditions, func(a, b metav1.Condition) int {
		return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(a.Type, b.Type))
	})
}

// stall sets Stalled if the condition Ready requires action by a user, and removes it otherwise. A
// status that is written while a new spec is being carried out therefore never contains the Stalled
// condition of the previous spec.
func stall(conditions *[]metav1.Condition, ready metav1.Condition, mustAct func(reason string) bool) {
	if ready.Status != metav1.ConditionFalse || !mustAct(ready.Reason) {
		meta.RemoveStatusCondition(conditions, Stalled)
		return
	}
	ready.Type, ready.Status = Stalled, metav1.ConditionTrue
	meta.SetStatusCondition(conditions, ready)
}

// rank returns the position of a type in first, or len(first) if it is not listed.
func rank(kind string) int {
	if at := slices.Index(first, kind); at >= 0 {
		return at
	}
	return len(first)
}

// OneOf returns a function for Set that reports whether a reason is in a set.
func OneOf(reasons map[string]bool) func(reason string) bool {
	return func(reason string) bool { return reasons[reason] }
}

// Turn compares the conditions before and after an attempt. It returns the condition Stalled if the
// object became stalled or has a different reason, and whether an object that was stalled is Ready.
// An event is emitted for both.
func Turn(before, after []metav1.Condition) (stalled *metav1.Condition, recovered bool) {
	was, is := meta.FindStatusCondition(before, Stalled), meta.FindStatusCondition(after, Stalled)
	if is != nil {
		if was == nil || was.Reason != is.Reason {
			return is, false
		}
		return nil, false
	}
	return nil, was != nil && meta.IsStatusConditionTrue(after, Ready)
}
