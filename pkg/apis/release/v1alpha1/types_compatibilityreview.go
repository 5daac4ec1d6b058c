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

// CompatibilityReview asks what the change from one CustomResourceDefinition to another does. It is answered and never
// stored, like a SubjectAccessReview.
type CompatibilityReview struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata; nothing of it is used.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the question.
	// +required
	Spec CompatibilityReviewSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	// Status is the answer.
	// +optional
	Status CompatibilityReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// CompatibilityReviewSpec is the question.
type CompatibilityReviewSpec struct {
	// Old is the whole manifest of the CustomResourceDefinition that is there. Exactly one of old and oldRef.
	// +optional
	// +k8s:opaqueType
	Old *runtime.RawExtension `json:"old,omitempty" protobuf:"bytes,1,opt,name=old"`
	// OldRef names a CRDSchema that holds it.
	// +optional
	// +k8s:optional
	OldRef *LocalObjectReference `json:"oldRef,omitempty" protobuf:"bytes,2,opt,name=oldRef"`
	// New is the whole manifest of the CustomResourceDefinition that is to take its place, of the same name.
	// +required
	// +k8s:opaqueType
	New runtime.RawExtension `json:"new" protobuf:"bytes,3,opt,name=new"`
	// Policy says what a breaking change needs: Deny, RequireApproval or Warn. Defaults to RequireApproval.
	// +optional
	// +k8s:optional
	Policy BreakingPolicy `json:"policy,omitempty" protobuf:"bytes,4,opt,name=policy,casttype=BreakingPolicy"`
}

// CompatibilityReviewStatus is the answer.
type CompatibilityReviewStatus struct {
	// Verdict is the worst of the findings: I, S, R, B, B! or X.
	// +optional
	Verdict Compatibility `json:"verdict,omitempty" protobuf:"bytes,1,opt,name=verdict,casttype=Compatibility"`
	// Allowed tells whether the change may be made under the policy, without or with an approval.
	// +optional
	Allowed bool `json:"allowed" protobuf:"varint,2,opt,name=allowed"`
	// RequiresApproval tells whether it needs an approval under the policy.
	// +optional
	RequiresApproval bool `json:"requiresApproval" protobuf:"varint,3,opt,name=requiresApproval"`
	// Digest identifies the change, as roadstead-crdcheck and the guard print it.
	// +optional
	Digest string `json:"digest,omitempty" protobuf:"bytes,4,opt,name=digest"`
	// Findings are what the change does, worst first; at most 1000.
	// +optional
	// +listType=atomic
	Findings []Finding `json:"findings,omitempty" protobuf:"bytes,5,rep,name=findings"`
	// TotalFindings is how many there are.
	// +optional
	TotalFindings int32 `json:"totalFindings,omitempty" protobuf:"varint,6,opt,name=totalFindings"`
}
