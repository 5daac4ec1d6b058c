// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CompatibilityReview asks what the change from one CustomResourceDefinition to another does. It is answered and never
// stored, like a SubjectAccessReview.
type CompatibilityReview struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   CompatibilityReviewSpec
	Status CompatibilityReviewStatus
}

// CompatibilityReviewSpec is the question.
type CompatibilityReviewSpec struct {
	Old    *runtime.RawExtension
	OldRef *LocalObjectReference
	New    runtime.RawExtension
	Policy BreakingPolicy
}

// CompatibilityReviewStatus is the answer.
type CompatibilityReviewStatus struct {
	Verdict          Compatibility
	Allowed          bool
	RequiresApproval bool
	Digest           string
	Findings         []Finding
	TotalFindings    int32
}
