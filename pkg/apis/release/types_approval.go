// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Approval asks people to decide on something risky, and keeps who decided what. Only the controller makes Approvals; they
// are decided by the subresources approve and reject.
type Approval struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   ApprovalSpec
	Status ApprovalStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ApprovalList is a list of Approvals.
type ApprovalList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []Approval
}

// ApprovalSpec is what is to be decided.
type ApprovalSpec struct {
	Subject      ApprovalSubject
	Type         ApprovalType
	Environment  string
	Levels       int32
	RequestedBy  string
	RequestedAt  metav1.Time
	ExpiresAfter *metav1.Duration
	Summary      string
	Reason       string
}

// ApprovalSubject is what a decision is about, as it was when it was asked for.
type ApprovalSubject struct {
	Kind   string
	Name   string
	UID    string
	Digest string
}

// ApprovalType says what is decided.
type ApprovalType string

const (
	// ApprovalBreakingCRDChange is about a breaking change of a CustomResourceDefinition.
	ApprovalBreakingCRDChange ApprovalType = "BreakingCRDChange"
)

// ApprovalStatus is what was decided.
type ApprovalStatus struct {
	Decision           ApprovalOutcome
	Decisions          []ApprovalRecord
	ExpiresAt          *metav1.Time
	DecidedAt          *metav1.Time
	ObservedGeneration int64
	Conditions         []metav1.Condition
}

// ApprovalOutcome is how far a decision is.
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
	Level    int32
	User     string
	Decision ApprovalOutcome
	Reason   string
	Time     metav1.Time
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ApprovalDecision is the body of the subresources approvals/approve and approvals/reject.
type ApprovalDecision struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Reason string
}
