// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSchema is a CustomResourceDefinition that is part of one version of an operator. When it is
// created it is compared with the preceding CustomResourceDefinition. A breaking change is
// refused, or waits for an approval.
type CRDSchema struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   CRDSchemaSpec
	Status CRDSchemaStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSchemaList is a list of CRDSchemas.
type CRDSchemaList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []CRDSchema
}

// CRDSchemaSpec is a CustomResourceDefinition and its place in the history of an operator.
type CRDSchemaSpec struct {
	OperatorVersionRef *LocalObjectReference
	Definition         runtime.RawExtension
	AgainstRef         *LocalObjectReference
}

// CRDSchemaStatus is the result of the comparison.
type CRDSchemaStatus struct {
	ObservedGeneration int64
	Phase              Phase
	CreatedBy          string
	CRD                string
	Digest             string
	Against            *CRDSchemaBaseline
	Compatibility      Compatibility
	Findings           []Finding
	TotalFindings      int32
	Approval           ApprovalState
	Conditions         []metav1.Condition
	RequestedBy        string
}

// CRDSchemaBaseline is the state of a CRDSchema at the time when another one was compared with
// it.
type CRDSchemaBaseline struct {
	Name   string
	UID    string
	Digest string
	Change string
}
