// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WasAccepted reports whether an OperatorVersion with these conditions has been accepted, so that
// clusters may run it. Its CRDs are compatible or approved, or they have become incompatible
// since for a reason other than their changes, such as a CRDSchema that was replaced.
func WasAccepted(conditions []metav1.Condition) bool {
	compatible := meta.FindStatusCondition(conditions, ConditionCRDsCompatible)
	if compatible == nil || compatible.Status == metav1.ConditionUnknown {
		return false
	}
	switch compatible.Reason {
	case ReasonBreakingRefused, ReasonAwaitingApproval, ReasonRejected, ReasonExpired, ReasonVoided, ReasonSchemaRefused, ReasonTooManyCRDs:
		return false
	}
	return true
}
