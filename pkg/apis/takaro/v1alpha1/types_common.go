// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SecretKeyReference refers to one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// Name is the name of the Secret in the same namespace.
	// +required
	// +k8s:required
	// +k8s:format=k8s-long-name
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
	// Key is the key within the data of the Secret. At most 253 characters: letters, digits, '-',
	// '_' and '.'.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=253
	Key string `json:"key,omitempty" protobuf:"bytes,2,opt,name=key"`
}

// LocalObjectReference refers to an object of a known kind in the same namespace.
type LocalObjectReference struct {
	// Name is the name of the object in the same namespace.
	// +required
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// DeletionPolicy determines what happens in Takaro when the object is deleted.
// +enum
// +k8s:enum
type DeletionPolicy string

const (
	// DeletionPolicyDelete permanently deletes the domain in Takaro.
	DeletionPolicyDelete DeletionPolicy = "Delete"
	// DeletionPolicyDisable is Takaro's soft delete: the domain is disabled, and its data and its
	// externalReference are kept.
	DeletionPolicyDisable DeletionPolicy = "Disable"
	// DeletionPolicyRetain leaves the domain in Takaro unchanged.
	DeletionPolicyRetain DeletionPolicy = "Retain"
)
