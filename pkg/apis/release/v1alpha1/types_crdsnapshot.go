// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSnapshot is a CustomResourceDefinition of this cluster as the controller last observed it.
// The controller uses it to detect changes that bypassed the CRD guard and that the guard would
// have refused. Its name is the name of the CRD. Only the controller writes it.
type CRDSnapshot struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the observed CustomResourceDefinition.
	// +optional
	Spec CRDSnapshotSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// CRDSnapshotList is a list of CRDSnapshots.
type CRDSnapshotList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the CRDSnapshots.
	Items []CRDSnapshot `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// CRDSnapshotSpec is the observed CustomResourceDefinition.
type CRDSnapshotSpec struct {
	// UID is the UID of the CRD.
	// +required
	// +k8s:required
	// +k8s:maxLength=64
	UID string `json:"uid" protobuf:"bytes,1,opt,name=uid"`
	// Generation is the metadata.generation of the CRD.
	// +optional
	Generation int64 `json:"generation,omitempty" protobuf:"varint,2,opt,name=generation"`
	// Policy is the value of the annotation roadstead.dev/crd-policy.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	Policy string `json:"policy,omitempty" protobuf:"bytes,3,opt,name=policy"`
	// AllowChange is the value of the annotation roadstead.dev/allow-change.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	AllowChange string `json:"allowChange,omitempty" protobuf:"bytes,4,opt,name=allowChange"`
	// Definition is the manifest of the CRD with its name and spec, without other metadata and
	// without status.
	// +required
	// +k8s:opaqueType
	Definition runtime.RawExtension `json:"definition" protobuf:"bytes,5,opt,name=definition"`
}
