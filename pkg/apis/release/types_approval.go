// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Approval requests a decision by users on a risky change, and records their decisions. Only the
// controller creates Approvals. Users decide through the subresources approve and reject.
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

// ApprovalSpec is the request for a decision.
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

// ApprovalSubject identifies the object that a decision is about, in its state at the time of the
// request.
type ApprovalSubject struct {
	Kind   string
	Name   string
	UID    string
	Digest string
}

// ApprovalType is the type of a decision.
type ApprovalType string

const (
	// ApprovalBreakingCRDChange is a decision on a breaking change of a CustomResourceDefinition.
	ApprovalBreakingCRDChange ApprovalType = "BreakingCRDChange"
)

// ApprovalStatus contains the decision.
type ApprovalStatus struct {
	Decision           ApprovalOutcome
	Decisions          []ApprovalRecord
	ExpiresAt          *metav1.Time
	DecidedAt          *metav1.Time
	ObservedGeneration int64
	Conditions         []metav1.Condition
}

// ApprovalOutcome is the state of a decision.
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
	Level    int32
	User     string
	Decision ApprovalOutcome
	Reason   string
	Time     metav1.Time
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ApprovalDecision is the request body of the subresources approvals/approve and
// approvals/reject.
type ApprovalDecision struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Reason string
}
