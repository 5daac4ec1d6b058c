// SPDX-License-Identifier: Apache-2.0

// Package conditions writes conditions so that tools read them as users do. kstatus, on which Helm and Flux rely, takes
// Ready=False for work in progress, and waits for it until a time-out; it reports an object as failed only by the condition
// Stalled. So Stalled accompanies each Ready=False that a user must act on, and is absent otherwise, as in Flux.
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
	// Stalled is the type of the condition that is True while nothing goes on before a user acts, and absent otherwise.
	// See https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md.
	Stalled = "Stalled"
)

// first are the types that precede all others, in their order; the others follow by name.
var first = []string{Ready, Stalled}

// Set writes a condition, keeps the condition Stalled in agreement with Ready, and puts all conditions into a fixed order:
// Ready, Stalled, then the others by type. mustAct reports whether an object that is not Ready for a reason waits for a user.
func Set(conditions *[]metav1.Condition, condition metav1.Condition, mustAct func(reason string) bool) {
	meta.SetStatusCondition(conditions, condition)
	if condition.Type == Ready {
		stall(conditions, condition, mustAct)
	}
	slices.SortStableFunc(*conditions, func(a, b metav1.Condition) int {
		return cmp.Or(cmp.Compare(rank(a.Type), rank(b.Type)), cmp.Compare(a.Type, b.Type))
	})
}

// stall sets Stalled for a condition Ready that a user must act on, and removes it otherwise. A status that is written while
// a new spec is being carried out therefore never has the Stalled of the spec before.
func stall(conditions *[]metav1.Condition, ready metav1.Condition, mustAct func(reason string) bool) {
	if ready.Status != metav1.ConditionFalse || !mustAct(ready.Reason) {
		meta.RemoveStatusCondition(conditions, Stalled)
		return
	}
	ready.Type, ready.Status = Stalled, metav1.ConditionTrue
	meta.SetStatusCondition(conditions, ready)
}

// rank is the place of a type among first, or behind them.
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

// Turn compares the conditions before and after an attempt. It returns the condition Stalled if it began or has another reason,
// and whether an object that was stalled is Ready: a user wants an event of both.
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
