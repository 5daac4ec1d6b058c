// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// passing are the reasons of Ready that may pass by themselves, or by an object or a decision that is awaited.
var passing = map[string]bool{
	v1alpha1.ReasonReconciling:           true,
	v1alpha1.ReasonRepositoryUnavailable: true,
	v1alpha1.ReasonOperatorNotFound:      true,
	v1alpha1.ReasonRequestFailed:         true,
	v1alpha1.ReasonSandboxUnavailable:    true,
	v1alpha1.ReasonAwaitingApproval:      true,
}

// MustAct reports whether an Operator or OperatorVersion that is not Ready for a reason waits until a user corrects something.
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
