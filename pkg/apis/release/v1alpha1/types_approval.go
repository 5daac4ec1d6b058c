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

// Approval asks people to decide on something risky, and keeps who decided what. Only the controller makes Approvals; they
// are decided by the subresources approve and reject.
type Approval struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is what is to be decided. Immutable.
	// +optional
	Spec ApprovalSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is what was decided. It is read-only.
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

// ApprovalSpec is what is to be decided.
type ApprovalSpec struct {
	// Subject is what the decision is about. Immutable.
	// +required
	// +k8s:immutable
	Subject ApprovalSubject `json:"subject" protobuf:"bytes,1,opt,name=subject"`
	// Type of the decision: BreakingCRDChange. The server fills it. Immutable.
	// +optional
	// +k8s:required
	// +k8s:immutable
	Type ApprovalType `json:"type,omitempty" protobuf:"bytes,2,opt,name=type,casttype=ApprovalType"`
	// Environment that is concerned: Development, Staging or Production; empty where all are. The server fills it. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	// +k8s:maxLength=63
	Environment string `json:"environment,omitempty" protobuf:"bytes,3,opt,name=environment"`
	// Levels is how many different people must approve. The server fills it. Immutable.
	// +optional
	// +k8s:required
	// +k8s:immutable
	// +k8s:minimum=1
	// +k8s:maximum=10
	Levels int32 `json:"levels,omitempty" protobuf:"varint,4,opt,name=levels"`
	// RequestedBy is the authenticated name of who wants it; that person cannot approve. The server fills it. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	RequestedBy string `json:"requestedBy,omitempty" protobuf:"bytes,5,opt,name=requestedBy"`
	// RequestedAt is when the Approval was made. The server fills it. Immutable.
	// +optional
	// +k8s:opaqueType
	RequestedAt metav1.Time `json:"requestedAt,omitempty" protobuf:"bytes,6,opt,name=requestedAt"`
	// ExpiresAfter is how long the decision may take; after it the Approval is Expired, which counts as rejected. 1m to 8760h.
	// Immutable. Defaults to 24h.
	// +optional
	// +k8s:opaqueType
	ExpiresAfter *metav1.Duration `json:"expiresAfter,omitempty" protobuf:"bytes,7,opt,name=expiresAfter"`
	// Summary tells what is to be decided. At most 4096 characters. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=4096
	// +k8s:immutable
	Summary string `json:"summary,omitempty" protobuf:"bytes,8,opt,name=summary"`
	// Reason is why it is wanted, from the annotation roadstead.dev/request-approval of the subject. At most 1024 characters.
	// The server fills it. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	// +k8s:immutable
	Reason string `json:"reason,omitempty" protobuf:"bytes,9,opt,name=reason"`
}

// ApprovalSubject is what a decision is about, as it was when it was asked for.
type ApprovalSubject struct {
	// Kind of the subject: CRDSchema.
	// +required
	// +k8s:required
	// +k8s:maxLength=63
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`
	// Name of the subject.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
	// UID of the subject.
	// +required
	// +k8s:required
	// +k8s:maxLength=64
	UID string `json:"uid" protobuf:"bytes,3,opt,name=uid"`
	// Digest of what is approved: of a CRDSchema, that of the change. A decision counts only while it is the same. The server
	// fills it.
	// +optional
	// +k8s:required
	// +k8s:maxLength=128
	Digest string `json:"digest,omitempty" protobuf:"bytes,4,opt,name=digest"`
}

// ApprovalType says what is decided.
// +enum
// +k8s:enum
type ApprovalType string

const (
	// ApprovalBreakingCRDChange is about a breaking change of a CustomResourceDefinition.
	ApprovalBreakingCRDChange ApprovalType = "BreakingCRDChange"
)

// ApprovalStatus is what was decided.
type ApprovalStatus struct {
	// Decision is Pending until enough people approved or one rejected; Expired when nobody decided in time, Voided when the
	// subject changed or went away before. All but Pending are final.
	// +optional
	// +k8s:optional
	Decision ApprovalOutcome `json:"decision,omitempty" protobuf:"bytes,1,opt,name=decision,casttype=ApprovalOutcome"`
	// Decisions are what each person said, in the order of time.
	// +optional
	// +k8s:optional
	// +listType=atomic
	Decisions []ApprovalRecord `json:"decisions,omitempty" protobuf:"bytes,2,rep,name=decisions"`
	// ExpiresAt is when a pending Approval expires.
	// +optional
	// +k8s:opaqueType
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty" protobuf:"bytes,3,opt,name=expiresAt"`
	// DecidedAt is when the decision became final.
	// +optional
	// +k8s:opaqueType
	DecidedAt *metav1.Time `json:"decidedAt,omitempty" protobuf:"bytes,4,opt,name=decidedAt"`
	// ObservedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,5,opt,name=observedGeneration"`
	// Conditions are Ready (True when approved), Stalled and Finished (True when the decision is final, whatever it is).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,6,rep,name=conditions"`
}

// ApprovalOutcome is how far a decision is.
// +enum
// +k8s:enum
type ApprovalOutcome string

const (
	// OutcomePending waits for people.
	OutcomePending ApprovalOutcome = "Pending"
	// OutcomeApproved was approved by as many as are needed.
	OutcomeApproved ApprovalOutcome = "Approved"
	// OutcomeRejected was rejected by somebody.
	OutcomeRejected ApprovalOutcome = "Rejected"
	// OutcomeExpired was not decided in time; it counts as rejected.
	OutcomeExpired ApprovalOutcome = "Expired"
	// OutcomeVoided lost its subject, or the subject changed; it counts as rejected.
	OutcomeVoided ApprovalOutcome = "Voided"
)

// ApprovalRecord is what one person said.
type ApprovalRecord struct {
	// Level that it counts for, from 1; 0 for a rejection.
	// +optional
	Level int32 `json:"level,omitempty" protobuf:"varint,1,opt,name=level"`
	// User is the authenticated name.
	// +required
	User string `json:"user" protobuf:"bytes,2,opt,name=user"`
	// Decision is Approved or Rejected.
	// +required
	// +k8s:required
	Decision ApprovalOutcome `json:"decision" protobuf:"bytes,3,opt,name=decision,casttype=ApprovalOutcome"`
	// Reason is what the person gave.
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`
	// Time of the decision.
	// +optional
	// +k8s:opaqueType
	Time metav1.Time `json:"time,omitempty" protobuf:"bytes,5,opt,name=time"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ApprovalDecision is the body of the subresources approvals/approve and approvals/reject.
type ApprovalDecision struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata; the name, where given, must be that of the Approval.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Reason of the decision, at most 1024 characters. Required to reject.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	Reason string `json:"reason,omitempty" protobuf:"bytes,2,opt,name=reason"`
}
