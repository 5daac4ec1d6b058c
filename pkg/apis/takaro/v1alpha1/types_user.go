// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// User is a user of a Takaro domain. Roadstead creates the user, assigns the roles, and stores
// the login in the Secret <name>-takaro-user.
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
	// Status is the observed state. Only the controller writes it.
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
	// Name is the name of the user in Takaro, 3 to 50 characters. Defaults to metadata.name. An
	// update that omits the name keeps the current one.
	// +optional
	// +k8s:required
	// +k8s:minLength=3
	// +k8s:maxLength=50
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// Email is the e-mail address that the user logs in with, at most 50 characters. Takaro has
	// one identity for each address across all its domains, and ignores case. Immutable.
	// +required
	// +k8s:required
	// +k8s:minLength=3
	// +k8s:maxLength=50
	// +k8s:immutable
	Email string `json:"email" protobuf:"bytes,2,opt,name=email"`
	// DomainRef refers to the Domain, in the same namespace, that the user belongs to. Immutable.
	// +required
	// +k8s:immutable
	DomainRef LocalObjectReference `json:"domainRef" protobuf:"bytes,3,opt,name=domainRef"`
	// Roles are the names of existing Takaro roles, case-sensitive, 3 to 20 characters each.
	// Roles that are removed from the list are unassigned. Takaro's system roles User and Player
	// cannot be assigned.
	// +optional
	// +k8s:optional
	// +k8s:maxItems=50
	// +listType=set
	// +k8s:listType=set
	Roles []string `json:"roles,omitempty" protobuf:"bytes,4,rep,name=roles"`
	// Password is the password of the user, 8 to 50 characters. It is write-only: it is stored
	// encrypted and never returned. An update that omits the password keeps the current one. If
	// neither password nor passwordSecretRef is set, a password is generated.
	// +optional
	Password *string `json:"password,omitempty" protobuf:"bytes,5,opt,name=password"`
	// PasswordSecretRef refers to the Secret key that holds the password. Its key defaults to
	// password. Setting this field removes a stored password. It must not be set together with
	// password.
	// +optional
	// +k8s:optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty" protobuf:"bytes,6,opt,name=passwordSecretRef"`
	// DashboardUser allows the user to log in to Takaro's dashboard. Only dashboard users count
	// against maxUsers of the domain. Defaults to true.
	// +optional
	DashboardUser *bool `json:"dashboardUser,omitempty" protobuf:"varint,7,opt,name=dashboardUser"`
	// DeletionPolicy determines what happens to the user in Takaro when this object is deleted:
	// Delete removes the user from its domain, Retain leaves it. The policy can be changed while
	// the object is being deleted. Delete of an adopted user requires the same permission as
	// adopt. Defaults to Retain if adopt is true, otherwise to Delete.
	// +optional
	// +k8s:optional
	DeletionPolicy UserDeletionPolicy `json:"deletionPolicy,omitempty" protobuf:"bytes,8,opt,name=deletionPolicy,casttype=UserDeletionPolicy"`
	// Adopt takes over the existing user with this e-mail address instead of creating a user. It
	// requires either the RBAC verb "adopt" on users, or credentialsSecretRef in the Domain with
	// a Secret that the caller is allowed to get. An update that sets adopt must also set
	// deletionPolicy to Retain. Setting adopt to false later has no effect on a user that was
	// adopted. Defaults to false: a User is then not Ready if another user of the domain has its
	// e-mail address.
	// +optional
	Adopt bool `json:"adopt,omitempty" protobuf:"varint,9,opt,name=adopt"`
}

// UserDeletionPolicy determines what happens in Takaro when a User is deleted.
// +enum
// +k8s:enum
type UserDeletionPolicy string

const (
	// UserDeletionPolicyDelete removes the user from its domain.
	UserDeletionPolicyDelete UserDeletionPolicy = "Delete"
	// UserDeletionPolicyRetain leaves the user in Takaro unchanged.
	UserDeletionPolicyRetain UserDeletionPolicy = "Retain"
)

// UserStatus is the observed state of a User.
type UserStatus struct {
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is a one-word summary of the conditions: Pending, Creating, Ready, Error or Deleting.
	// +optional
	Phase UserPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=UserPhase"`
	// UserID is the ID of the user in Takaro.
	// +optional
	UserID string `json:"userId,omitempty" protobuf:"bytes,3,opt,name=userId"`
	// CredentialsSecretRef refers to the Secret with the login of the user.
	// +optional
	CredentialsSecretRef *LocalObjectReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,4,opt,name=credentialsSecretRef"`
	// Roles are the roles of spec.roles that are assigned to the user.
	// +optional
	// +listType=set
	Roles []string `json:"roles,omitempty" protobuf:"bytes,5,rep,name=roles"`
	// MissingRoles are the roles of spec.roles that the domain does not have.
	// +optional
	// +listType=set
	MissingRoles []string `json:"missingRoles,omitempty" protobuf:"bytes,6,rep,name=missingRoles"`
	// Conditions are Ready, Stalled, Synced, RolesAssigned and PasswordValid (Takaro accepts the
	// password; part of Ready, except for an adopted user whose password was not set in the
	// spec).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,7,rep,name=conditions"`
	// Ownership records what this object owns in Takaro. Only the controller writes it. A
	// different value from any other client is replaced by the stored value. It is absent in
	// objects that an earlier release stored.
	// +optional
	// +k8s:opaqueType
	Ownership *ownership.Status `json:"ownership,omitempty" protobuf:"bytes,8,opt,name=ownership"`
}

// UserPhase is a one-word summary of the conditions of a User.
// +enum
type UserPhase string

const (
	// UserPending means that the controller waits for something that does not exist yet.
	UserPending UserPhase = "Pending"
	// UserCreating means that the user is being created in Takaro.
	UserCreating UserPhase = "Creating"
	// UserReady means that the user exists in Takaro as specified.
	UserReady UserPhase = "Ready"
	// UserError means that a user of the cluster must act. The conditions contain the cause.
	UserError UserPhase = "Error"
	// UserDeleting means that the object is being deleted.
	UserDeleting UserPhase = "Deleting"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// UserCredentials is the body of requests to the subresource users/credentials and of the
// responses. The response contains the password that was set in spec.password.
type UserCredentials struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`

	// Password is set in responses only. A request that sets it is rejected.
	// +optional
	Password string `json:"password,omitempty" protobuf:"bytes,1,opt,name=password"`
}

// StatusReasonNotGiven is the reason of a 404 response of users/credentials if the User exists
// but its spec does not contain a password.
const StatusReasonNotGiven metav1.StatusReason = "NotGiven"
