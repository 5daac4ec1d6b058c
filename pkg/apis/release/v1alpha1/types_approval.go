// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:nonNamespaced
// +genclient:method=Approve,verb=create,subresource=approve,input=ApprovalDecision,result=ApprovalDecision
// +genclient:method=Reject,verb=create,subresource=reject,input=ApprovalDecision,result=ApprovalDecision
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Approval requests a decision by users on a risky change, and records their decisions. Only the
// controller creates Approvals. Users decide through the subresources approve and reject.
type Approval struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the request for a decision. Immutable.
	// +optional
	Spec ApprovalSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status contains the decision. It is read-only.
	// +optional
	Status ApprovalStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ApprovalList is a list of Approvals.
type ApprovalList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the Approvals.
	Items []Approval `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ApprovalSpec is the request for a decision.
type ApprovalSpec struct {
	// Subject is the object that the decision is about. Immutable.
	// +required
	// +k8s:immutable
	Subject ApprovalSubject `json:"subject" protobuf:"bytes,1,opt,name=subject"`
	// Type is the type of the decision: BreakingCRDChange. The server sets it. Immutable.
	// +optional
	// +k8s:required
	// +k8s:immutable
	Type ApprovalType `json:"type,omitempty" protobuf:"bytes,2,opt,name=type,casttype=ApprovalType"`
	// Environment is the affected environment: Development, Staging or Production. It is empty if
	// all environments are affected. The server sets it. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	// +k8s:maxLength=63
	Environment string `json:"environment,omitempty" protobuf:"bytes,3,opt,name=environment"`
	// Levels is the number of different users that must approve, 1 to 10. The server sets it.
	// Immutable.
	// +optional
	// +k8s:required
	// +k8s:immutable
	// +k8s:minimum=1
	// +k8s:maximum=10
	Levels int32 `json:"levels,omitempty" protobuf:"varint,4,opt,name=levels"`
	// RequestedBy is the authenticated name of the user who requested the change. That user
	// cannot approve it. The server sets it. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	RequestedBy string `json:"requestedBy,omitempty" protobuf:"bytes,5,opt,name=requestedBy"`
	// RequestedAt is the time at which the Approval was created. The server sets it. Immutable.
	// +optional
	// +k8s:opaqueType
	RequestedAt metav1.Time `json:"requestedAt,omitempty" protobuf:"bytes,6,opt,name=requestedAt"`
	// ExpiresAfter is the time until a pending Approval expires, 1m to 8760h. An Approval that is
	// Expired counts as rejected. Immutable. Defaults to 24h.
	// +optional
	// +k8s:opaqueType
	ExpiresAfter *metav1.Duration `json:"expiresAfter,omitempty" protobuf:"bytes,7,opt,name=expiresAfter"`
	// Summary describes the change that requires a decision. At most 4096 characters. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=4096
	// +k8s:immutable
	Summary string `json:"summary,omitempty" protobuf:"bytes,8,opt,name=summary"`
	// Reason is why the change is requested, from the annotation roadstead.dev/request-approval
	// of the subject. At most 1024 characters. The server sets it. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	// +k8s:immutable
	Reason string `json:"reason,omitempty" protobuf:"bytes,9,opt,name=reason"`
}

// ApprovalSubject identifies the object that a decision is about, in its state at the time of the
// request.
type ApprovalSubject struct {
	// Kind is the kind of the subject: CRDSchema.
	// +required
	// +k8s:required
	// +k8s:maxLength=63
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`
	// Name is the name of the subject.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
	// UID is the UID of the subject.
	// +required
	// +k8s:required
	// +k8s:maxLength=64
	UID string `json:"uid" protobuf:"bytes,3,opt,name=uid"`
	// Digest is the digest of the approved content. For a CRDSchema it is the digest of the
	// change. A decision applies only as long as the digest is the same. The server sets it.
	// +optional
	// +k8s:required
	// +k8s:maxLength=128
	Digest string `json:"digest,omitempty" protobuf:"bytes,4,opt,name=digest"`
}

// ApprovalType is the type of a decision.
// +enum
// +k8s:enum
type ApprovalType string

const (
	// ApprovalBreakingCRDChange is a decision on a breaking change of a CustomResourceDefinition.
	ApprovalBreakingCRDChange ApprovalType = "BreakingCRDChange"
)

// ApprovalStatus contains the decision.
type ApprovalStatus struct {
	// Decision is the state of the decision: Pending, Approved, Rejected, Expired or Voided. All
	// states except Pending are final.
	// +optional
	// +k8s:optional
	Decision ApprovalOutcome `json:"decision,omitempty" protobuf:"bytes,1,opt,name=decision,casttype=ApprovalOutcome"`
	// Decisions are the decisions of the individual users, in chronological order.
	// +optional
	// +k8s:optional
	// +listType=atomic
	Decisions []ApprovalRecord `json:"decisions,omitempty" protobuf:"bytes,2,rep,name=decisions"`
	// ExpiresAt is the time at which a pending Approval expires.
	// +optional
	// +k8s:opaqueType
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty" protobuf:"bytes,3,opt,name=expiresAt"`
	// DecidedAt is the time at which the decision became final.
	// +optional
	// +k8s:opaqueType
	DecidedAt *metav1.Time `json:"decidedAt,omitempty" protobuf:"bytes,4,opt,name=decidedAt"`
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,5,opt,name=observedGeneration"`
	// Conditions are Ready (True if approved), Stalled and Finished (True if the decision is
	// final, regardless of its result).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep,name=conditions"`
}

// ApprovalOutcome is the state of a decision.
// +enum
// +k8s:enum
type ApprovalOutcome string

const (
	// OutcomePending means that not enough users have approved yet.
	OutcomePending ApprovalOutcome = "Pending"
	// OutcomeApproved means that the required number of users approved.
	OutcomeApproved ApprovalOutcome = "Approved"
	// OutcomeRejected means that one user rejected the change.
	OutcomeRejected ApprovalOutcome = "Rejected"
	// OutcomeExpired means that the deadline passed without a decision. It counts as rejected.
	OutcomeExpired ApprovalOutcome = "Expired"
	// OutcomeVoided means that the subject changed or was deleted before the decision. It counts
	// as rejected.
	OutcomeVoided ApprovalOutcome = "Voided"
)

// ApprovalRecord is the decision of one user.
type ApprovalRecord struct {
	// Level is the level of the approval, starting at 1. It is 0 for a rejection.
	// +optional
	Level int32 `json:"level,omitempty" protobuf:"varint,1,opt,name=level"`
	// User is the authenticated name of the user.
	// +required
	User string `json:"user" protobuf:"bytes,2,opt,name=user"`
	// Decision is Approved or Rejected.
	// +required
	// +k8s:required
	Decision ApprovalOutcome `json:"decision" protobuf:"bytes,3,opt,name=decision,casttype=ApprovalOutcome"`
	// Reason is the reason that the user provided.
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`
	// Time is the time of the decision.
	// +optional
	// +k8s:opaqueType
	Time metav1.Time `json:"time,omitempty" protobuf:"bytes,5,opt,name=time"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ApprovalDecision is the request body of the subresources approvals/approve and
// approvals/reject.
type ApprovalDecision struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. The name, if set, must be the name of the Approval.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Reason is the reason of the decision, at most 1024 characters. Required for a rejection.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	Reason string `json:"reason,omitempty" protobuf:"bytes,2,opt,name=reason"`
}
