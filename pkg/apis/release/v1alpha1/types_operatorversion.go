// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorVersion is one version of an Operator. The controller fetches its chart, finds every
// CustomResourceDefinition in it, and creates a CRDSchema for each, which is compared with the
// CRDSchema of the previous version.
type OperatorVersion struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. The name is the name of the Operator, a hyphen and the version,
	// in lower case and with - in place of +.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state. Immutable.
	// +optional
	Spec OperatorVersionSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the observed state. Only the controller writes it.
	// +optional
	Status OperatorVersionStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorVersionList is a list of OperatorVersions.
type OperatorVersionList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the OperatorVersions.
	Items []OperatorVersion `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// OperatorVersionSpec is the desired state of an OperatorVersion.
type OperatorVersionSpec struct {
	// OperatorRef refers to the Operator. Immutable.
	// +required
	// +k8s:immutable
	OperatorRef LocalObjectReference `json:"operatorRef" protobuf:"bytes,1,opt,name=operatorRef"`
	// Version is a semantic version (semver.org, 2.0.0), with or without a leading v. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=128
	// +k8s:immutable
	Version string `json:"version" protobuf:"bytes,2,opt,name=version"`
	// ChartVersion is the version of the chart. Immutable. Defaults to version.
	// +optional
	// +k8s:required
	// +k8s:maxLength=128
	// +k8s:immutable
	ChartVersion string `json:"chartVersion,omitempty" protobuf:"bytes,3,opt,name=chartVersion"`
	// MigrationGuide is the URL (http or https) of a page that describes how to migrate to this
	// version. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	// +k8s:immutable
	MigrationGuide string `json:"migrationGuide,omitempty" protobuf:"bytes,4,opt,name=migrationGuide"`
	// CRDSource is the source of the CRDSchemas of the version: Chart or Manual. Immutable.
	// Defaults to Chart.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	CRDSource CRDSource `json:"crdSource,omitempty" protobuf:"bytes,5,opt,name=crdSource,casttype=CRDSource"`
}

// CRDSource is the source of the CRDSchemas of a version.
// +enum
// +k8s:enum
type CRDSource string

const (
	// CRDSourceChart means that the controller creates the CRDSchemas from the CRDs in the chart.
	CRDSourceChart CRDSource = "Chart"
	// CRDSourceManual means that users create the CRDSchemas.
	CRDSourceManual CRDSource = "Manual"
)

// OperatorVersionStatus is the observed state of an OperatorVersion.
type OperatorVersionStatus struct {
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is a one-word summary of the conditions: Pending, AwaitingApproval, Ready or Error.
	// +optional
	Phase Phase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=Phase"`
	// CreatedBy is the authenticated name of the user who created the object. It never changes.
	// +optional
	CreatedBy string `json:"createdBy,omitempty" protobuf:"bytes,3,opt,name=createdBy"`
	// ChartDigest is the digest of the fetched chart.
	// +optional
	ChartDigest string `json:"chartDigest,omitempty" protobuf:"bytes,4,opt,name=chartDigest"`
	// CRDs are the CRDs of the version.
	// +optional
	// +listType=map
	// +listMapKey=name
	CRDs []OperatorVersionCRD `json:"crds,omitempty" protobuf:"bytes,5,rep,name=crds"`
	// Approval is the state of the approval of the version's breaking changes.
	// +optional
	// +k8s:optional
	Approval ApprovalState `json:"approval,omitempty" protobuf:"bytes,6,opt,name=approval,casttype=ApprovalState"`
	// Findings are the effects of the change from the newest lower version, most severe first, at
	// most 50.
	// +optional
	// +listType=atomic
	Findings []Finding `json:"findings,omitempty" protobuf:"bytes,7,rep,name=findings"`
	// TotalFindings is the number of all findings.
	// +optional
	TotalFindings int32 `json:"totalFindings,omitempty" protobuf:"varint,8,opt,name=totalFindings"`
	// Conditions are Ready, Stalled, ChartFetched and CRDsCompatible (no CRD has a breaking
	// change, or the change was approved).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,9,rep,name=conditions"`
	// RequestedBy is the authenticated name of the user who requested this version: the user who
	// last changed the spec of the Operator if the controller discovered the version, otherwise
	// the user who created the object. The server sets it at creation, and it never changes.
	// +optional
	RequestedBy string `json:"requestedBy,omitempty" protobuf:"bytes,10,opt,name=requestedBy"`
}

// OperatorVersionCRD is one CRD of a version.
type OperatorVersionCRD struct {
	// Name is the name of the CRD, such as certificates.cert-manager.io. The name of its
	// CRDSchema is the name of the OperatorVersion, a dot and this name.
	// +required
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
	// Digest is the digest of the CRD.
	// +optional
	Digest string `json:"digest,omitempty" protobuf:"bytes,2,opt,name=digest"`
	// Compatibility is the most severe verdict on the change from the CRD of the newest lower
	// version.
	// +optional
	Compatibility Compatibility `json:"compatibility,omitempty" protobuf:"bytes,3,opt,name=compatibility,casttype=Compatibility"`
}
