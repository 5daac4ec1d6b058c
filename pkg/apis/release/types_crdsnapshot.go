// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSnapshot is a CustomResourceDefinition of this cluster as the controller last observed it.
// The controller uses it to detect changes that bypassed the CRD guard and that the guard would
// have refused. Its name is the name of the CRD. Only the controller writes it.
type CRDSnapshot struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec CRDSnapshotSpec
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSnapshotList is a list of CRDSnapshots.
type CRDSnapshotList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []CRDSnapshot
}

// CRDSnapshotSpec is the observed CustomResourceDefinition.
type CRDSnapshotSpec struct {
	UID         string
	Generation  int64
	Policy      string
	AllowChange string
	Definition  runtime.RawExtension
}
