// SPDX-License-Identifier: Apache-2.0

package takaro

// SecretKeyReference refers to one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// Name is the name of the Secret.
	Name string
	// Key is the key within the data of the Secret.
	Key string
}

// LocalObjectReference refers to an object of a known kind in the same namespace.
type LocalObjectReference struct {
	// Name is the name of the object.
	Name string
}

// DeletionPolicy determines what happens in Takaro when the object is deleted.
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
