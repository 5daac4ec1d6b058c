// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSnapshot is a CustomResourceDefinition of this cluster as the controller saw it last. By it the controller finds changes
// that the guard would have refused, had it been asked. The name is that of the definition. Only the controller writes it.
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

// CRDSnapshotSpec is what was seen.
type CRDSnapshotSpec struct {
	UID         string
	Generation  int64
	Policy      string
	AllowChange string
	Definition  runtime.RawExtension
}
