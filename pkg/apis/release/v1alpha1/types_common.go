// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// RequestApprovalAnnotation on a CRDSchema or an OperatorVersion requests that a breaking change
// is stored and waits for the decision of a user, instead of being refused. Its value is the
// reason, which is shown to the approver.
const RequestApprovalAnnotation = "roadstead.dev/request-approval"

// LocalObjectReference refers to an object of a known kind of this group.
type LocalObjectReference struct {
	// Name is the name of the object.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// SecretReference refers to a Secret.
type SecretReference struct {
	// Namespace is the namespace of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	Namespace string `json:"namespace" protobuf:"bytes,1,opt,name=namespace"`
	// Name is the name of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
}

// SecretKeyReference refers to one key of a Secret.
type SecretKeyReference struct {
	// Namespace is the namespace of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	Namespace string `json:"namespace" protobuf:"bytes,1,opt,name=namespace"`
	// Name is the name of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
	// Key is the key within the data of the Secret. At most 253 characters: letters, digits, '-',
	// '_' and '.'. For Helm values it defaults to values.yaml.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=253
	Key string `json:"key,omitempty" protobuf:"bytes,3,opt,name=key"`
}

// Compatibility is the verdict on a change of a CustomResourceDefinition: I (informational), S
// (safe), R (requires review), B (rejects something that was valid), B! (loses data, blocks the
// deletion of objects, or removes an API) or X (the API server refuses the change). It is empty
// if nothing was compared.
type Compatibility string

// ApprovalState is the state of the approval of a breaking change.
// +enum
// +k8s:enum
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
	// CRD is the name of the CRD, such as certificates.cert-manager.io.
	// +optional
	CRD string `json:"crd,omitempty" protobuf:"bytes,1,opt,name=crd"`
	// Code is the stable code of the rule, such as CRD-101; see docs/rules. It is ChartCRDVaries
	// if a chart renders the CRD in two different ways.
	// +optional
	Code string `json:"code,omitempty" protobuf:"bytes,2,opt,name=code"`
	// Verdict is the verdict on this effect: I, S, R, B, B! or X.
	// +optional
	Verdict Compatibility `json:"verdict,omitempty" protobuf:"bytes,3,opt,name=verdict,casttype=Compatibility"`
	// Version is the affected version of the CRD. It is empty if all versions are affected.
	// +optional
	Version string `json:"version,omitempty" protobuf:"bytes,4,opt,name=version"`
	// Path is the path within the schema of the version, or within the spec of the CRD.
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,5,opt,name=path"`
	// Old is the old value at the path, in compact JSON. A long value is truncated.
	// +optional
	Old string `json:"old,omitempty" protobuf:"bytes,6,opt,name=old"`
	// New is the new value at the path, in compact JSON. A long value is truncated.
	// +optional
	New string `json:"new,omitempty" protobuf:"bytes,7,opt,name=new"`
	// Message describes the effect.
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,8,opt,name=message"`
	// Hint describes how to avoid the effect.
	// +optional
	Hint string `json:"hint,omitempty" protobuf:"bytes,9,opt,name=hint"`
}
