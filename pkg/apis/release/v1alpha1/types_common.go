// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// RequestApprovalAnnotation on a CRDSchema or an OperatorVersion asks that a breaking change be stored and decided by a
// person, instead of refused. Its value is the reason, which the approver reads.
const RequestApprovalAnnotation = "roadstead.dev/request-approval"

// LocalObjectReference names an object of a known kind of this group.
type LocalObjectReference struct {
	// Name of the object.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// SecretReference names a Secret.
type SecretReference struct {
	// Namespace of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	Namespace string `json:"namespace" protobuf:"bytes,1,opt,name=namespace"`
	// Name of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
}

// SecretKeyReference names one key of a Secret.
type SecretKeyReference struct {
	// Namespace of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	Namespace string `json:"namespace" protobuf:"bytes,1,opt,name=namespace"`
	// Name of the Secret.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
	// Key within the Secret's data; for Helm values it defaults to values.yaml. At most 253 characters: letters, digits,
	// '-', '_' and '.'.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=253
	Key string `json:"key,omitempty" protobuf:"bytes,3,opt,name=key"`
}

// Compatibility says how much a change of a CustomResourceDefinition hurts: I (informational), S (safe), R (to be
// reviewed), B (rejects something that was valid), B! (loses data, makes objects undeletable, or an API vanish), X (the API
// server refuses it). Empty where nothing was compared.
type Compatibility string

// ApprovalState says whether a breaking change needs a person's word, and what it was.
// +enum
// +k8s:enum
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
	// CRD is the name of the definition, such as certificates.cert-manager.io.
	// +optional
	CRD string `json:"crd,omitempty" protobuf:"bytes,1,opt,name=crd"`
	// Code is the stable code of the rule, such as CRD-101; see docs/rules. ChartCRDVaries where a chart renders the
	// definition in two ways.
	// +optional
	Code string `json:"code,omitempty" protobuf:"bytes,2,opt,name=code"`
	// Verdict of this change: I, S, R, B, B! or X.
	// +optional
	Verdict Compatibility `json:"verdict,omitempty" protobuf:"bytes,3,opt,name=verdict,casttype=Compatibility"`
	// Version of the definition that is hit; empty where all are.
	// +optional
	Version string `json:"version,omitempty" protobuf:"bytes,4,opt,name=version"`
	// Path within the version's schema, or within spec of the definition.
	// +optional
	Path string `json:"path,omitempty" protobuf:"bytes,5,opt,name=path"`
	// Old is what stood at the path, in compact JSON; cut where long.
	// +optional
	Old string `json:"old,omitempty" protobuf:"bytes,6,opt,name=old"`
	// New is what stands at the path now, in compact JSON; cut where long.
	// +optional
	New string `json:"new,omitempty" protobuf:"bytes,7,opt,name=new"`
	// Message tells what happens.
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,8,opt,name=message"`
	// Hint tells what to do about it.
	// +optional
	Hint string `json:"hint,omitempty" protobuf:"bytes,9,opt,name=hint"`
}
