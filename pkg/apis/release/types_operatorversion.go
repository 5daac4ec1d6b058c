// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorVersion is one version of an Operator. The controller fetches its chart, finds every CustomResourceDefinition in
// it and makes a CRDSchema of each, which is compared with that of the version before.
type OperatorVersion struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   OperatorVersionSpec
	Status OperatorVersionStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorVersionList is a list of OperatorVersions.
type OperatorVersionList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []OperatorVersion
}

// OperatorVersionSpec is the desired state of an OperatorVersion.
type OperatorVersionSpec struct {
	OperatorRef    LocalObjectReference
	Version        string
	ChartVersion   string
	MigrationGuide string
	CRDSource      CRDSource
}

// CRDSource says where the CRDSchemas of a version come from.
type CRDSource string

const (
	// CRDSourceChart finds them in the chart.
	CRDSourceChart CRDSource = "Chart"
	// CRDSourceManual leaves them to people.
	CRDSourceManual CRDSource = "Manual"
)

// OperatorVersionStatus is the observed state of an OperatorVersion.
type OperatorVersionStatus struct {
	ObservedGeneration int64
	Phase              Phase
	CreatedBy          string
	ChartDigest        string
	CRDs               []OperatorVersionCRD
	Approval           ApprovalState
	Findings           []Finding
	TotalFindings      int32
	Conditions         []metav1.Condition
	RequestedBy        string
}

// OperatorVersionCRD is one definition of a version.
type OperatorVersionCRD struct {
	Name          string
	Digest        string
	Compatibility Compatibility
}
