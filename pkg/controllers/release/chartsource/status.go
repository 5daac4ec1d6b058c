// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// passing is the set of reasons of Ready that may be resolved without a correction by a user: by
// themselves, or by another object or a decision.
var passing = map[string]bool{
	v1alpha1.ReasonReconciling:           true,
	v1alpha1.ReasonRepositoryUnavailable: true,
	v1alpha1.ReasonOperatorNotFound:      true,
	v1alpha1.ReasonRequestFailed:         true,
	v1alpha1.ReasonSandboxUnavailable:    true,
	v1alpha1.ReasonAwaitingApproval:      true,
}

// MustAct reports whether an Operator or OperatorVersion that is not Ready for the reason requires
// a correction by a user.
func MustAct(reason string) bool { return !passing[reason] }

// PhaseOf derives the phase of an Operator or OperatorVersion from its conditions.
func PhaseOf(conditions []metav1.Condition) v1alpha1.Phase {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	switch {
	case ready == nil || ready.Status == metav1.ConditionUnknown:
		return v1alpha1.PhasePending
	case ready.Status == metav1.ConditionTrue:
		return v1alpha1.PhaseReady
	case ready.Reason == v1alpha1.ReasonAwaitingApproval:
		return v1alpha1.PhaseAwaitingApproval
	case MustAct(ready.Reason):
		return v1alpha1.PhaseError
	}
	return v1alpha1.PhasePending
}
