// SPDX-License-Identifier: Apache-2.0

package takaro

// SecretKeyReference names one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// Name of the Secret.
	Name string
	// Key within the Secret's data.
	Key string
}

// LocalObjectReference names an object of a known kind in the same namespace.
type LocalObjectReference struct {
	// Name of the object.
	Name string
}

// DeletionPolicy says what happens in Takaro when the object is deleted.
type DeletionPolicy string

const (
	// DeletionPolicyDelete removes the Takaro side for good.
	DeletionPolicyDelete DeletionPolicy = "Delete"
	// DeletionPolicyDisable is Takaro's soft delete: the domain is disabled, its data and its reference stay.
	DeletionPolicyDisable DeletionPolicy = "Disable"
	// DeletionPolicyRetain leaves the Takaro side as it is.
	DeletionPolicyRetain DeletionPolicy = "Retain"
)
