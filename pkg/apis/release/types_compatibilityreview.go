// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CompatibilityReview checks the effects of the change from one CustomResourceDefinition to
// another. Like a SubjectAccessReview, it is answered and never stored.
type CompatibilityReview struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   CompatibilityReviewSpec
	Status CompatibilityReviewStatus
}

// CompatibilityReviewSpec is the change to check.
type CompatibilityReviewSpec struct {
	Old    *runtime.RawExtension
	OldRef *LocalObjectReference
	New    runtime.RawExtension
	Policy BreakingPolicy
}

// CompatibilityReviewStatus is the result of the check.
type CompatibilityReviewStatus struct {
	Verdict          Compatibility
	Allowed          bool
	RequiresApproval bool
	Digest           string
	Findings         []Finding
	TotalFindings    int32
}
