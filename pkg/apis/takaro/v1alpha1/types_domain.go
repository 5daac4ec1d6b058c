// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Domain is a domain (tenant) in a Takaro installation. Roadstead creates the domain, keeps it in
// line with the spec, stores its registration token and root credentials in Secrets, and removes
// it when the object is deleted.
type Domain struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. The name may have at most 200 characters.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	// +optional
	Spec DomainSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the observed state. Only the controller writes it.
	// +optional
	Status DomainStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DomainList is a list of Domains.
type DomainList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the Domains.
	Items []Domain `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// DomainSpec is the desired state of a Domain.
type DomainSpec struct {
	// Name is the name of the domain in Takaro, 3 to 200 characters. Takaro does not require it
	// to be unique. Defaults to metadata.name. An update that omits the name keeps the current
	// one. A Domain that is created with adopt and without a name does not change the name of the
	// adopted domain. If adopt is set by a later update, set the name of the existing domain as
	// well; otherwise the domain is renamed.
	// +optional
	// +k8s:optional
	// +k8s:minLength=3
	// +k8s:maxLength=200
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// TakaroAPIURL is the address of the Takaro API, for example https://api.takaro.example. It
	// is an http or https URL without credentials, query or fragment. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=2048
	// +k8s:immutable
	TakaroAPIURL string `json:"takaroApiUrl" protobuf:"bytes,2,opt,name=takaroApiUrl"`
	// ConnectorURL is the WebSocket address (ws or wss) that the domain's mock servers connect
	// to. Defaults to the connectorUrl of the installation's endpoint. Without one, it defaults
	// to the address of the Takaro API with wss://connect. in place of a leading https://api.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	ConnectorURL string `json:"connectorUrl,omitempty" protobuf:"bytes,3,opt,name=connectorUrl"`
	// CredentialsSecretRef refers to the Secret key that holds Takaro's admin token. Its key
	// defaults to adminToken. Setting it requires permission to get the Secret. Defaults to the
	// credentials of the installation's endpoint with the same scheme, host and port.
	// +optional
	// +k8s:optional
	CredentialsSecretRef *SecretKeyReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,4,opt,name=credentialsSecretRef"`
	// CABundleSecretRef refers to the Secret key that holds the PEM certificates of the private
	// CA that signed Takaro's certificate. Its key defaults to ca.crt. Setting it requires
	// permission to get the Secret. Defaults to the CAs that the system trusts.
	// +optional
	// +k8s:optional
	CABundleSecretRef *SecretKeyReference `json:"caBundleSecretRef,omitempty" protobuf:"bytes,5,opt,name=caBundleSecretRef"`
	// ExternalReferenceID is the externalReference of the domain in Takaro, 3 to 200 characters,
	// unique for each Takaro endpoint. It must not start with "roadstead:" or
	// "roadstead-anchor:". It may start with "retained:" only if adopt is true. Immutable.
	// Defaults (in status only) to a reference that is derived from this installation and the UID
	// of the object.
	// +optional
	// +k8s:optional
	// +k8s:minLength=3
	// +k8s:maxLength=200
	// +k8s:immutable
	ExternalReferenceID string `json:"externalReferenceId,omitempty" protobuf:"bytes,6,opt,name=externalReferenceId"`
	// Adopt takes over the existing Takaro domain that has externalReferenceId instead of
	// creating a domain. It requires externalReferenceId, and either the RBAC verb "adopt" on
	// domains or credentialsSecretRef with a Secret that the caller is allowed to get. The name
	// and the limits of the adopted domain do not change unless the spec sets them. An update
	// that sets adopt must also set deletionPolicy to Retain. Setting adopt to false later has no
	// effect on a domain that was adopted. Defaults to false.
	// +optional
	Adopt bool `json:"adopt,omitempty" protobuf:"varint,7,opt,name=adopt"`
	// DomainLimits are the limits of the domain in Takaro.
	// +optional
	// +k8s:optional
	DomainLimits *DomainLimits `json:"domainLimits,omitempty" protobuf:"bytes,8,opt,name=domainLimits"`
	// MaintenanceMode sets the state of the Takaro domain to MAINTENANCE. It must not be true
	// together with disabled. Defaults to false.
	// +optional
	MaintenanceMode bool `json:"maintenanceMode,omitempty" protobuf:"varint,9,opt,name=maintenanceMode"`
	// Disabled sets the state of the Takaro domain to DISABLED. It must not be true together with
	// maintenanceMode. Defaults to false.
	// +optional
	Disabled bool `json:"disabled,omitempty" protobuf:"varint,10,opt,name=disabled"`
	// Description is a human-readable description, at most 2000 characters. It is not sent to
	// Takaro, which has no such field.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2000
	Description string `json:"description,omitempty" protobuf:"bytes,11,opt,name=description"`
	// DeletionPolicy determines what happens to the Takaro domain when this object is deleted:
	// Delete removes it permanently, Disable is Takaro's soft delete, Retain leaves it. With
	// Disable and Retain, the prefix of a generated externalReference changes from "roadstead:"
	// to "retained:", and the domain can be adopted by that reference. The policy can be changed
	// while the object is being deleted. Delete and Disable of an adopted domain require the same
	// permission as adopt. Defaults to Retain if adopt is true, otherwise to Delete.
	// +optional
	// +k8s:optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty" protobuf:"bytes,12,opt,name=deletionPolicy,casttype=DeletionPolicy"`
}

// DomainLimits are the limits of a domain in Takaro. In a domain that Roadstead created, a limit
// that is not set, or that is removed from the spec, has its default. In an adopted domain such a
// limit is not changed.
type DomainLimits struct {
	// MaxGameServers is the maximum number of game servers of the domain, 0 or more. Defaults to
	// 10 in a domain that Roadstead created.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxGameServers *int32 `json:"maxGameServers,omitempty" protobuf:"varint,1,opt,name=maxGameServers"`
	// MaxUsers is the maximum number of dashboard users of the domain, 0 or more. Defaults to 50
	// in a domain that Roadstead created.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxUsers *int32 `json:"maxUsers,omitempty" protobuf:"varint,2,opt,name=maxUsers"`
	// MaxVariables is the maximum number of variables that the domain stores, 0 or more. Defaults
	// to 10000 in a domain that Roadstead created, which is the default of Takaro.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxVariables *int32 `json:"maxVariables,omitempty" protobuf:"varint,3,opt,name=maxVariables"`
	// MaxModules is the maximum number of modules of the domain, 0 or more. Defaults to 1000 in a
	// domain that Roadstead created, which is the default of Takaro.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxModules *int32 `json:"maxModules,omitempty" protobuf:"varint,4,opt,name=maxModules"`
	// EventRetentionDays is the number of days for which events are kept, 0 or more. Defaults to
	// 7 in a domain that Roadstead created, which is the default of Takaro.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	EventRetentionDays *int32 `json:"eventRetentionDays,omitempty" protobuf:"varint,5,opt,name=eventRetentionDays"`
}

// DomainStatus is the observed state of a Domain.
type DomainStatus struct {
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is a one-word summary of the conditions: Pending, Creating, Ready, Error or Deleting.
	// +optional
	Phase DomainPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=DomainPhase"`
	// DomainID is the ID of the domain in Takaro. It is informational: the controller uses the ID
	// in ownership.
	// +optional
	DomainID string `json:"domainId,omitempty" protobuf:"bytes,3,opt,name=domainId"`
	// ExternalReferenceID is the current externalReference of the domain in Takaro. It is
	// informational. Roadstead creates each domain with a generated reference, and sets the
	// reference of the spec afterwards.
	// +optional
	ExternalReferenceID string `json:"externalReferenceId,omitempty" protobuf:"bytes,4,opt,name=externalReferenceId"`
	// RegistrationTokenSecretRef refers to the Secret with the token that game servers register
	// with.
	// +optional
	RegistrationTokenSecretRef *LocalObjectReference `json:"registrationTokenSecretRef,omitempty" protobuf:"bytes,5,opt,name=registrationTokenSecretRef"`
	// RootCredentialsSecretRef refers to the Secret with the login of the domain's root user.
	// +optional
	RootCredentialsSecretRef *LocalObjectReference `json:"rootCredentialsSecretRef,omitempty" protobuf:"bytes,6,opt,name=rootCredentialsSecretRef"`
	// ObservedLimits are the current limits of the domain in Takaro.
	// +optional
	// +k8s:opaqueType
	ObservedLimits *DomainLimits `json:"observedLimits,omitempty" protobuf:"bytes,7,opt,name=observedLimits"`
	// GameServers are the numbers of game servers of the Domain's MockServers.
	// +optional
	GameServers GameServerCounts `json:"gameServers,omitempty" protobuf:"bytes,8,opt,name=gameServers"`
	// Users are the numbers of the Domain's Users.
	// +optional
	Users UserCounts `json:"users,omitempty" protobuf:"bytes,9,opt,name=users"`
	// Conditions are Ready, Stalled, Synced, EndpointReady (Takaro responds and accepts the admin
	// token) and RootCredentials (the root login is known; not part of Ready).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,10,rep,name=conditions"`
	// Ownership records what this object owns in Takaro. Only the controller writes it. A
	// different value from any other client is replaced by the stored value. It is absent in
	// objects that an earlier release stored.
	// +optional
	// +k8s:opaqueType
	Ownership *ownership.Status `json:"ownership,omitempty" protobuf:"bytes,11,opt,name=ownership"`
}

// DomainPhase is a one-word summary of the conditions of a Domain.
// +enum
type DomainPhase string

const (
	// DomainPending means that the controller waits for something that does not exist yet.
	DomainPending DomainPhase = "Pending"
	// DomainCreating means that the domain is being created in Takaro.
	DomainCreating DomainPhase = "Creating"
	// DomainReady means that the domain exists in Takaro as specified.
	DomainReady DomainPhase = "Ready"
	// DomainError means that a user must act. The conditions contain the cause.
	DomainError DomainPhase = "Error"
	// DomainDeleting means that the object is being deleted.
	DomainDeleting DomainPhase = "Deleting"
)

// GameServerCounts are numbers of game servers.
type GameServerCounts struct {
	// Registered is the number of game servers that are registered with Takaro.
	// +optional
	Registered int32 `json:"registered,omitempty" protobuf:"varint,1,opt,name=registered"`
	// Reachable is the number of registered game servers that Takaro can reach.
	// +optional
	Reachable int32 `json:"reachable,omitempty" protobuf:"varint,2,opt,name=reachable"`
}

// UserCounts are numbers of Users.
type UserCounts struct {
	// Ready is the number of Users that are ready.
	// +optional
	Ready int32 `json:"ready,omitempty" protobuf:"varint,1,opt,name=ready"`
	// Total is the number of all Users.
	// +optional
	Total int32 `json:"total,omitempty" protobuf:"varint,2,opt,name=total"`
}
