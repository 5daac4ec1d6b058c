// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// User is a user of a Takaro domain. Roadstead makes the user, assigns the roles, and puts the login into the Secret
// <name>-takaro-user.
type User struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. The name may have at most 200 characters.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	// +optional
	Spec UserSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the observed state. It is written by the controller and read-only otherwise.
	// +optional
	Status UserStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// UserList is a list of Users.
type UserList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the Users.
	Items []User `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// UserSpec is the desired state of a User.
type UserSpec struct {
	// Name of the user in Takaro, 3 to 50 characters. Defaults to metadata.name; an update that leaves it out keeps it.
	// +optional
	// +k8s:required
	// +k8s:minLength=3
	// +k8s:maxLength=50
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// Email is the login name, at most 50 characters. Takaro knows one identity per address, across all its domains,
	// without regard to case. Immutable.
	// +required
	// +k8s:required
	// +k8s:minLength=3
	// +k8s:maxLength=50
	// +k8s:immutable
	Email string `json:"email" protobuf:"bytes,2,opt,name=email"`
	// DomainRef names the Domain, in the same namespace, that the user belongs to. Immutable.
	// +required
	// +k8s:immutable
	DomainRef LocalObjectReference `json:"domainRef" protobuf:"bytes,3,opt,name=domainRef"`
	// Roles are the names of existing Takaro roles, case-sensitive, 3 to 20 characters each. Roles taken out of the list
	// are unassigned. Takaro's own roles User and Player cannot be assigned.
	// +optional
	// +k8s:optional
	// +k8s:maxItems=50
	// +listType=set
	// +k8s:listType=set
	Roles []string `json:"roles,omitempty" protobuf:"bytes,4,rep,name=roles"`
	// Password is write-only: it is stored encrypted and never shown. 8 to 50 characters. An update that leaves it out
	// keeps it. Without it and passwordSecretRef a password is generated.
	// +optional
	Password *string `json:"password,omitempty" protobuf:"bytes,5,opt,name=password"`
	// PasswordSecretRef names the Secret key that holds the password; its key defaults to password. Setting it drops a
	// stored password. May not be set together with password.
	// +optional
	// +k8s:optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty" protobuf:"bytes,6,opt,name=passwordSecretRef"`
	// DashboardUser lets the user log in to Takaro's dashboard; only such users count against the domain's maxUsers.
	// Defaults to true.
	// +optional
	DashboardUser *bool `json:"dashboardUser,omitempty" protobuf:"varint,7,opt,name=dashboardUser"`
	// DeletionPolicy says what happens to the user in Takaro when this object is deleted: Delete removes it from its
	// domain, Retain leaves it. It may still be changed while the object is being deleted. Delete of an adopted user needs
	// the same right as adopt. Defaults to Delete, with adopt to Retain.
	// +optional
	// +k8s:optional
	DeletionPolicy UserDeletionPolicy `json:"deletionPolicy,omitempty" protobuf:"bytes,8,opt,name=deletionPolicy,casttype=UserDeletionPolicy"`
	// Adopt takes over an existing user with this e-mail address, instead of creating one. It needs either the RBAC verb
	// "adopt" on users, or credentialsSecretRef in the Domain with a Secret that the caller may get. An update that sets it
	// must set deletionPolicy Retain. Setting it to false later has no effect on a user that was adopted. Defaults to
	// false: a User whose e-mail address another user of the domain has is not Ready.
	// +optional
	Adopt bool `json:"adopt,omitempty" protobuf:"varint,9,opt,name=adopt"`
}

// UserDeletionPolicy says what happens in Takaro when a User is deleted.
// +enum
// +k8s:enum
type UserDeletionPolicy string

const (
	// UserDeletionPolicyDelete removes the user from its domain.
	UserDeletionPolicyDelete UserDeletionPolicy = "Delete"
	// UserDeletionPolicyRetain leaves the user.
	UserDeletionPolicyRetain UserDeletionPolicy = "Retain"
)

// UserStatus is the observed state of a User.
type UserStatus struct {
	// ObservedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is one word for people, derived from the conditions: Pending, Creating, Ready, Error or Deleting.
	// +optional
	Phase UserPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=UserPhase"`
	// UserID is the user's id in Takaro.
	// +optional
	UserID string `json:"userId,omitempty" protobuf:"bytes,3,opt,name=userId"`
	// CredentialsSecretRef names the Secret with the login.
	// +optional
	CredentialsSecretRef *LocalObjectReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,4,opt,name=credentialsSecretRef"`
	// Roles are the assigned roles of spec.roles.
	// +optional
	// +listType=set
	Roles []string `json:"roles,omitempty" protobuf:"bytes,5,rep,name=roles"`
	// MissingRoles are the roles of spec.roles that the domain does not have.
	// +optional
	// +listType=set
	MissingRoles []string `json:"missingRoles,omitempty" protobuf:"bytes,6,rep,name=missingRoles"`
	// Conditions are Ready, Stalled, Synced, RolesAssigned and PasswordValid (Takaro accepts the password; part of Ready, except
	// for an adopted user whose password was not given).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,7,rep,name=conditions"`
	// Ownership records what this object owns in Takaro. Only the controller writes it; what else a client sends is
	// replaced by what is stored. It is absent in objects that an earlier release stored.
	// +optional
	// +k8s:opaqueType
	Ownership *ownership.Status `json:"ownership,omitempty" protobuf:"bytes,8,opt,name=ownership"`
}

// UserPhase is one word for people, derived from the conditions.
// +enum
type UserPhase string

const (
	// UserPending waits for something that is not there yet.
	UserPending UserPhase = "Pending"
	// UserCreating is being made in Takaro.
	UserCreating UserPhase = "Creating"
	// UserReady exists in Takaro as the spec says.
	UserReady UserPhase = "Ready"
	// UserError needs a person: see the conditions.
	UserError UserPhase = "Error"
	// UserDeleting is being removed.
	UserDeleting UserPhase = "Deleting"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// UserCredentials is body and answer of the subresource users/credentials. The answer holds the password that was given
// in spec.password.
type UserCredentials struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`

	// Password is only in answers; a body that sets it is refused.
	// +optional
	Password string `json:"password,omitempty" protobuf:"bytes,1,opt,name=password"`
}

// StatusReasonNotGiven is the reason of the answer 404 of users/credentials when the User exists but no password was given
// in its spec.
const StatusReasonNotGiven metav1.StatusReason = "NotGiven"
