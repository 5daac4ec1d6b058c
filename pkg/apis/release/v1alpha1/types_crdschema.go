// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSchema is a CustomResourceDefinition that is part of one version of an operator. When it is
// created it is compared with the preceding CustomResourceDefinition. A breaking change is
// refused, or waits for an approval.
type CRDSchema struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. With an operatorVersionRef, the name must be the name of the
	// OperatorVersion, a dot and the name of the CRD. Otherwise any name is valid.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the CustomResourceDefinition. Immutable.
	// +optional
	Spec CRDSchemaSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the result of the comparison. It is read-only.
	// +optional
	Status CRDSchemaStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSchemaList is a list of CRDSchemas.
type CRDSchemaList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the CRDSchemas.
	Items []CRDSchema `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// CRDSchemaSpec is a CustomResourceDefinition and its place in the history of an operator.
type CRDSchemaSpec struct {
	// OperatorVersionRef refers to the OperatorVersion that contains the CRD. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	OperatorVersionRef *LocalObjectReference `json:"operatorVersionRef,omitempty" protobuf:"bytes,1,opt,name=operatorVersionRef"`
	// Definition is the complete manifest of the CustomResourceDefinition
	// (apiextensions.k8s.io/v1), at most 3 MiB. Immutable.
	// +required
	// +k8s:opaqueType
	Definition runtime.RawExtension `json:"definition" protobuf:"bytes,2,opt,name=definition"`
	// AgainstRef refers to the CRDSchema that precedes this one. Immutable. Defaults to the
	// CRDSchema of the newest lower version of the same operator that has the CRD.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	AgainstRef *LocalObjectReference `json:"againstRef,omitempty" protobuf:"bytes,3,opt,name=againstRef"`
}

// CRDSchemaStatus is the result of the comparison.
type CRDSchemaStatus struct {
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is a one-word summary of the conditions: Pending, AwaitingApproval, Ready or Error.
	// +optional
	Phase Phase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=Phase"`
	// CreatedBy is the authenticated name of the user who created the object. It never changes.
	// +optional
	CreatedBy string `json:"createdBy,omitempty" protobuf:"bytes,3,opt,name=createdBy"`
	// CRD is the name of the CRD.
	// +optional
	CRD string `json:"crd,omitempty" protobuf:"bytes,4,opt,name=crd"`
	// Digest is the digest of the CRD.
	// +optional
	Digest string `json:"digest,omitempty" protobuf:"bytes,5,opt,name=digest"`
	// Against is the CRDSchema that this one was compared with.
	// +optional
	Against *CRDSchemaBaseline `json:"against,omitempty" protobuf:"bytes,6,opt,name=against"`
	// Compatibility is the most severe verdict of the findings. It is empty if no CRDSchema
	// precedes this one.
	// +optional
	Compatibility Compatibility `json:"compatibility,omitempty" protobuf:"bytes,7,opt,name=compatibility,casttype=Compatibility"`
	// Findings are the effects of the change, most severe first, at most 50.
	// +optional
	// +listType=atomic
	Findings []Finding `json:"findings,omitempty" protobuf:"bytes,8,rep,name=findings"`
	// TotalFindings is the number of all findings.
	// +optional
	TotalFindings int32 `json:"totalFindings,omitempty" protobuf:"varint,9,opt,name=totalFindings"`
	// Approval is the state of the approval of a breaking change. No rollout uses the version
	// before the change is approved.
	// +optional
	// +k8s:optional
	Approval ApprovalState `json:"approval,omitempty" protobuf:"bytes,10,opt,name=approval,casttype=ApprovalState"`
	// Conditions are Ready and Stalled.
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,11,rep,name=conditions"`
	// RequestedBy is the authenticated name of the user who requested this CRD: the requester of
	// the OperatorVersion if the controller created the object, otherwise the user who created
	// it. That user cannot approve a breaking change. The server sets it at creation, and it
	// never changes.
	// +optional
	RequestedBy string `json:"requestedBy,omitempty" protobuf:"bytes,12,opt,name=requestedBy"`
}

// CRDSchemaBaseline is the state of a CRDSchema at the time when another one was compared with
// it.
type CRDSchemaBaseline struct {
	// Name is the name of the CRDSchema.
	// +required
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
	// UID is the UID of the CRDSchema.
	// +optional
	UID string `json:"uid,omitempty" protobuf:"bytes,2,opt,name=uid"`
	// Digest is the digest of its CRD.
	// +optional
	Digest string `json:"digest,omitempty" protobuf:"bytes,3,opt,name=digest"`
	// Change is the digest of the change, as printed by roadstead-crdcheck. An Approval is bound
	// to this digest.
	// +optional
	Change string `json:"change,omitempty" protobuf:"bytes,4,opt,name=change"`
}
