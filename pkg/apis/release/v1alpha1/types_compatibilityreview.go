// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +genclient
// +genclient:nonNamespaced
// +genclient:onlyVerbs=create
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CompatibilityReview checks the effects of the change from one CustomResourceDefinition to
// another. Like a SubjectAccessReview, it is answered and never stored.
type CompatibilityReview struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. It is ignored.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the change to check.
	// +required
	Spec CompatibilityReviewSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	// Status is the result of the check.
	// +optional
	Status CompatibilityReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// CompatibilityReviewSpec is the change to check.
type CompatibilityReviewSpec struct {
	// Old is the complete manifest of the existing CustomResourceDefinition. Exactly one of old
	// and oldRef must be set.
	// +optional
	// +k8s:opaqueType
	Old *runtime.RawExtension `json:"old,omitempty" protobuf:"bytes,1,opt,name=old"`
	// OldRef refers to a CRDSchema that contains the existing CustomResourceDefinition.
	// +optional
	// +k8s:optional
	OldRef *LocalObjectReference `json:"oldRef,omitempty" protobuf:"bytes,2,opt,name=oldRef"`
	// New is the complete manifest of the CustomResourceDefinition that replaces the existing
	// one. It must have the same name.
	// +required
	// +k8s:opaqueType
	New runtime.RawExtension `json:"new" protobuf:"bytes,3,opt,name=new"`
	// Policy is the policy for breaking changes: Deny, RequireApproval or Warn. Defaults to
	// RequireApproval.
	// +optional
	// +k8s:optional
	Policy BreakingPolicy `json:"policy,omitempty" protobuf:"bytes,4,opt,name=policy,casttype=BreakingPolicy"`
}

// CompatibilityReviewStatus is the result of the check.
type CompatibilityReviewStatus struct {
	// Verdict is the most severe verdict of the findings: I, S, R, B, B! or X.
	// +optional
	Verdict Compatibility `json:"verdict,omitempty" protobuf:"bytes,1,opt,name=verdict,casttype=Compatibility"`
	// Allowed reports whether the policy allows the change, either without or with an approval.
	// +optional
	Allowed bool `json:"allowed" protobuf:"varint,2,opt,name=allowed"`
	// RequiresApproval reports whether the policy requires an approval for the change.
	// +optional
	RequiresApproval bool `json:"requiresApproval" protobuf:"varint,3,opt,name=requiresApproval"`
	// Digest identifies the change. roadstead-crdcheck and the CRD guard print the same digest.
	// +optional
	Digest string `json:"digest,omitempty" protobuf:"bytes,4,opt,name=digest"`
	// Findings are the effects of the change, most severe first, at most 1000.
	// +optional
	// +listType=atomic
	Findings []Finding `json:"findings,omitempty" protobuf:"bytes,5,rep,name=findings"`
	// TotalFindings is the number of all findings.
	// +optional
	TotalFindings int32 `json:"totalFindings,omitempty" protobuf:"varint,6,opt,name=totalFindings"`
}
