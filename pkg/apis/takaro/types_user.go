// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/writeonly"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// User is a user of a Takaro domain.
type User struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   UserSpec
	Status UserStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// UserList is a list of Users.
type UserList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []User
}

// UserSpec is the desired state of a User. See v1alpha1 for the documentation of the fields.
type UserSpec struct {
	Name              string
	Email             string
	DomainRef         LocalObjectReference
	Roles             []string
	Password          *writeonly.String
	PasswordSecretRef *SecretKeyReference
	DashboardUser     *bool
	DeletionPolicy    UserDeletionPolicy
	Adopt             bool
}

// UserDeletionPolicy determines what happens in Takaro when a User is deleted.
type UserDeletionPolicy string

const (
	// UserDeletionPolicyDelete removes the user from its domain.
	UserDeletionPolicyDelete UserDeletionPolicy = "Delete"
	// UserDeletionPolicyRetain leaves the user in Takaro unchanged.
	UserDeletionPolicyRetain UserDeletionPolicy = "Retain"
)

// UserStatus is the observed state of a User.
type UserStatus struct {
	ObservedGeneration   int64
	Phase                UserPhase
	UserID               string
	CredentialsSecretRef *LocalObjectReference
	Roles                []string
	MissingRoles         []string
	Conditions           []metav1.Condition
	Ownership            *ownership.Status
}

// UserPhase is a one-word summary of the conditions of a User.
type UserPhase string

// Phases of a User.
const (
	UserPending  UserPhase = "Pending"
	UserCreating UserPhase = "Creating"
	UserReady    UserPhase = "Ready"
	UserError    UserPhase = "Error"
	UserDeleting UserPhase = "Deleting"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// UserCredentials is the response of the subresource users/credentials. It contains the password
// that was set in the spec.
type UserCredentials struct {
	metav1.TypeMeta

	Password string
}
