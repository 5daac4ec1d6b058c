// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorVersion is one version of an Operator. The controller fetches its chart, finds every
// CustomResourceDefinition in it, and creates a CRDSchema for each, which is compared with the
// CRDSchema of the previous version.
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

// CRDSource is the source of the CRDSchemas of a version.
type CRDSource string

const (
	// CRDSourceChart means that the controller creates the CRDSchemas from the CRDs in the chart.
	CRDSourceChart CRDSource = "Chart"
	// CRDSourceManual means that users create the CRDSchemas.
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

// OperatorVersionCRD is one CRD of a version.
type OperatorVersionCRD struct {
	Name          string
	Digest        string
	Compatibility Compatibility
}
