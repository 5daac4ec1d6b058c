// SPDX-License-Identifier: Apache-2.0

package release

// RequestApprovalAnnotation on a CRDSchema or an OperatorVersion asks that a breaking change be stored and decided by a
// person, instead of refused. Its value is the reason, which the approver reads.
const RequestApprovalAnnotation = "roadstead.dev/request-approval"

// LocalObjectReference names an object of a known kind of this group.
type LocalObjectReference struct {
	Name string
}

// SecretReference names a Secret.
type SecretReference struct {
	Namespace string
	Name      string
}

// SecretKeyReference names one key of a Secret.
type SecretKeyReference struct {
	Namespace string
	Name      string
	Key       string
}

// Compatibility says how much a change of a CustomResourceDefinition hurts: I (informational), S (safe), R (to be
// reviewed), B (rejects something that was valid), B! (loses data, makes objects undeletable, or an API vanish), X (the API
// server refuses it). Empty where nothing was compared.
type Compatibility string

// ApprovalState says whether a breaking change needs a person's word, and what it was.
type ApprovalState string

const (
	// ApprovalNotRequired needs none.
	ApprovalNotRequired ApprovalState = "NotRequired"
	// ApprovalPending waits for the decision of an Approval.
	ApprovalPending ApprovalState = "Pending"
	// ApprovalApproved was approved.
	ApprovalApproved ApprovalState = "Approved"
	// ApprovalRejected was rejected, or its Approval expired or was voided: it may not be rolled out.
	ApprovalRejected ApprovalState = "Rejected"
)

// Finding is one thing that a change of a CustomResourceDefinition does.
type Finding struct {
	CRD     string
	Code    string
	Verdict Compatibility
	Version string
	Path    string
	Old     string
	New     string
	Message string
	Hint    string
}
