// SPDX-License-Identifier: Apache-2.0

package release

// RequestApprovalAnnotation on a CRDSchema or an OperatorVersion requests that a breaking change
// is stored and waits for the decision of a user, instead of being refused. Its value is the
// reason, which is shown to the approver.
const RequestApprovalAnnotation = "roadstead.dev/request-approval"

// LocalObjectReference refers to an object of a known kind of this group.
type LocalObjectReference struct {
	Name string
}

// SecretReference refers to a Secret.
type SecretReference struct {
	Namespace string
	Name      string
}

// SecretKeyReference refers to one key of a Secret.
type SecretKeyReference struct {
	Namespace string
	Name      string
	Key       string
}

// Compatibility is the verdict on a change of a CustomResourceDefinition: I (informational), S
// (safe), R (requires review), B (rejects something that was valid), B! (loses data, blocks the
// deletion of objects, or removes an API) or X (the API server refuses the change). It is empty
// if nothing was compared.
type Compatibility string

// ApprovalState is the state of the approval of a breaking change.
type ApprovalState string

const (
	// ApprovalNotRequired means that no approval is required.
	ApprovalNotRequired ApprovalState = "NotRequired"
	// ApprovalPending means that the decision of an Approval is pending.
	ApprovalPending ApprovalState = "Pending"
	// ApprovalApproved means that the change was approved.
	ApprovalApproved ApprovalState = "Approved"
	// ApprovalRejected means that the change was rejected, or that its Approval expired or was
	// voided. The change must not be rolled out.
	ApprovalRejected ApprovalState = "Rejected"
)

// Finding is one effect of a change of a CustomResourceDefinition.
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
