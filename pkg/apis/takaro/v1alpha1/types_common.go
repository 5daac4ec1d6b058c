// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SecretKeyReference names one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// Name of the Secret in the same namespace.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
	// Key within the Secret's data. At most 253 characters: letters, digits, '-', '_' and '.'.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=253
	Key string `json:"key,omitempty" protobuf:"bytes,2,opt,name=key"`
}

// LocalObjectReference names an object of a known kind in the same namespace.
type LocalObjectReference struct {
	// Name of the object in the same namespace.
	// +required
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// DeletionPolicy says what happens in Takaro when the object is deleted.
// +enum
// +k8s:enum
type DeletionPolicy string

const (
	// DeletionPolicyDelete removes the Takaro side for good.
	DeletionPolicyDelete DeletionPolicy = "Delete"
	// DeletionPolicyDisable is Takaro's soft delete: the domain is disabled, its data and its reference stay.
	DeletionPolicyDisable DeletionPolicy = "Disable"
	// DeletionPolicyRetain leaves the Takaro side as it is.
	DeletionPolicyRetain DeletionPolicy = "Retain"
)
