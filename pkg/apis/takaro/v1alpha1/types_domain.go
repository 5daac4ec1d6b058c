// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Domain is a domain (tenant) in a Takaro installation. Roadstead makes it, keeps it as the spec says, puts its
// registration token and root credentials into Secrets, and removes it when the object is deleted.
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
	// Status is the observed state. It is written by the controller and read-only otherwise.
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
	// Name of the domain in Takaro, 3 to 200 characters. Defaults to metadata.name; an update that leaves it out keeps
	// it. A Domain that is created with adopt and without a name leaves the name of the adopted domain as it is; when
	// adopt is turned on later, set the name of that domain, or it is renamed. Takaro does not require it to be unique.
	// +optional
	// +k8s:optional
	// +k8s:minLength=3
	// +k8s:maxLength=200
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// TakaroAPIURL is the address of the Takaro API, for example https://api.takaro.example. http or https, no
	// credentials, query or fragment. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=2048
	// +k8s:immutable
	TakaroAPIURL string `json:"takaroApiUrl" protobuf:"bytes,2,opt,name=takaroApiUrl"`
	// ConnectorURL is the WebSocket address that the domain's mock servers connect to (ws or wss). Defaults to the
	// connectorUrl of the installation's endpoint, else to wss://connect. in place of a leading https://api.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	ConnectorURL string `json:"connectorUrl,omitempty" protobuf:"bytes,3,opt,name=connectorUrl"`
	// CredentialsSecretRef names the Secret key that holds Takaro's admin token; its key defaults to adminToken.
	// Whoever sets it must be allowed to get the Secret. Defaults to the installation's endpoint with the same scheme,
	// host and port.
	// +optional
	// +k8s:optional
	CredentialsSecretRef *SecretKeyReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,4,opt,name=credentialsSecretRef"`
	// CABundleSecretRef names the Secret key that holds PEM certificates of a private CA which signed Takaro's
	// certificate; its key defaults to ca.crt. Whoever sets it must be allowed to get the Secret. Defaults to the
	// system's trusted CAs.
	// +optional
	// +k8s:optional
	CABundleSecretRef *SecretKeyReference `json:"caBundleSecretRef,omitempty" protobuf:"bytes,5,opt,name=caBundleSecretRef"`
	// ExternalReferenceID is the externalReference under which the domain is known in Takaro, 3 to 200 characters,
	// unique per Takaro endpoint. It may not start with "roadstead:" or "roadstead-anchor:", and with "retained:" only if
	// adopt is true. Immutable. Defaults (in status only) to a reference derived from this installation and the object's
	// UID.
	// +optional
	// +k8s:optional
	// +k8s:minLength=3
	// +k8s:maxLength=200
	// +k8s:immutable
	ExternalReferenceID string `json:"externalReferenceId,omitempty" protobuf:"bytes,6,opt,name=externalReferenceId"`
	// Adopt takes over an existing Takaro domain that carries externalReferenceId, instead of creating one. It needs
	// externalReferenceId, and either the RBAC verb "adopt" on domains or credentialsSecretRef with a Secret that the caller
	// may get. Name and limits of the adopted domain stay as they are where the spec sets none. An update that sets adopt
	// must set deletionPolicy Retain. Setting it to false later has no effect on a domain that was adopted. Defaults to
	// false.
	// +optional
	Adopt bool `json:"adopt,omitempty" protobuf:"varint,7,opt,name=adopt"`
	// DomainLimits are the domain's limits in Takaro.
	// +optional
	// +k8s:optional
	DomainLimits *DomainLimits `json:"domainLimits,omitempty" protobuf:"bytes,8,opt,name=domainLimits"`
	// MaintenanceMode puts the Takaro domain into state MAINTENANCE. May not be true together with disabled. Defaults
	// to false.
	// +optional
	MaintenanceMode bool `json:"maintenanceMode,omitempty" protobuf:"varint,9,opt,name=maintenanceMode"`
	// Disabled puts the Takaro domain into state DISABLED. May not be true together with maintenanceMode. Defaults to
	// false.
	// +optional
	Disabled bool `json:"disabled,omitempty" protobuf:"varint,10,opt,name=disabled"`
	// Description is for people, at most 2000 characters. It is kept here only: Takaro has none.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2000
	Description string `json:"description,omitempty" protobuf:"bytes,11,opt,name=description"`
	// DeletionPolicy says what happens to the Takaro domain when this object is deleted: Delete removes it for good,
	// Disable is Takaro's soft delete, Retain leaves it. With Disable and Retain, a generated externalReference changes
	// from "roadstead:…" to "retained:…", under which the domain can be adopted. The policy may still be changed while the
	// object is being deleted. Delete and Disable of an adopted domain need the same right as adopt. Defaults to Delete,
	// with adopt to Retain.
	// +optional
	// +k8s:optional
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty" protobuf:"bytes,12,opt,name=deletionPolicy,casttype=DeletionPolicy"`
}

// DomainLimits are Takaro's limits of a domain. In a domain that Roadstead created, a limit that is not set, or that is
// removed from the spec, has its default. In an adopted domain it is left as it is.
type DomainLimits struct {
	// MaxGameServers is how many game servers the domain may have, 0 or more. Defaults to 10 in a domain that Roadstead
	// created.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxGameServers *int32 `json:"maxGameServers,omitempty" protobuf:"varint,1,opt,name=maxGameServers"`
	// MaxUsers is how many dashboard users the domain may have, 0 or more. Defaults to 50 in a domain that Roadstead
	// created.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxUsers *int32 `json:"maxUsers,omitempty" protobuf:"varint,2,opt,name=maxUsers"`
	// MaxVariables is how many variables the domain may store, 0 or more. Defaults to 10000 in a domain that Roadstead
	// created, as in Takaro.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxVariables *int32 `json:"maxVariables,omitempty" protobuf:"varint,3,opt,name=maxVariables"`
	// MaxModules is how many modules the domain may have, 0 or more. Defaults to 1000 in a domain that Roadstead
	// created, as in Takaro.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	MaxModules *int32 `json:"maxModules,omitempty" protobuf:"varint,4,opt,name=maxModules"`
	// EventRetentionDays is how many days events are kept, 0 or more. Defaults to 7 in a domain that Roadstead created,
	// as in Takaro.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	EventRetentionDays *int32 `json:"eventRetentionDays,omitempty" protobuf:"varint,5,opt,name=eventRetentionDays"`
}

// DomainStatus is the observed state of a Domain.
type DomainStatus struct {
	// ObservedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is one word for people, derived from the conditions: Pending, Creating, Ready, Error or Deleting.
	// +optional
	Phase DomainPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=DomainPhase"`
	// DomainID is the domain's id in Takaro, for information only: the controller decides by ownership.
	// +optional
	DomainID string `json:"domainId,omitempty" protobuf:"bytes,3,opt,name=domainId"`
	// ExternalReferenceID is the externalReference that the domain carries in Takaro, for information only. Roadstead
	// creates each domain under a generated reference and sets that of the spec afterwards.
	// +optional
	ExternalReferenceID string `json:"externalReferenceId,omitempty" protobuf:"bytes,4,opt,name=externalReferenceId"`
	// RegistrationTokenSecretRef names the Secret with the token by which game servers register.
	// +optional
	RegistrationTokenSecretRef *LocalObjectReference `json:"registrationTokenSecretRef,omitempty" protobuf:"bytes,5,opt,name=registrationTokenSecretRef"`
	// RootCredentialsSecretRef names the Secret with the login of the domain's root user.
	// +optional
	RootCredentialsSecretRef *LocalObjectReference `json:"rootCredentialsSecretRef,omitempty" protobuf:"bytes,6,opt,name=rootCredentialsSecretRef"`
	// ObservedLimits are the limits that Takaro has for the domain.
	// +optional
	// +k8s:opaqueType
	ObservedLimits *DomainLimits `json:"observedLimits,omitempty" protobuf:"bytes,7,opt,name=observedLimits"`
	// GameServers counts the game servers of the Domain's MockServers.
	// +optional
	GameServers GameServerCounts `json:"gameServers,omitempty" protobuf:"bytes,8,opt,name=gameServers"`
	// Users counts the Domain's Users.
	// +optional
	Users UserCounts `json:"users,omitempty" protobuf:"bytes,9,opt,name=users"`
	// Conditions are Ready, Stalled, Synced, EndpointReady (Takaro answers and takes the admin token) and RootCredentials (the
	// root login is known; not part of Ready).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,10,rep,name=conditions"`
	// Ownership records what this object owns in Takaro. Only the controller writes it; what else a client sends is
	// replaced by what is stored. It is absent in objects that an earlier release stored.
	// +optional
	// +k8s:opaqueType
	Ownership *ownership.Status `json:"ownership,omitempty" protobuf:"bytes,11,opt,name=ownership"`
}

// DomainPhase is one word for people, derived from the conditions.
// +enum
type DomainPhase string

const (
	// DomainPending waits for something that is not there yet.
	DomainPending DomainPhase = "Pending"
	// DomainCreating is being made in Takaro.
	DomainCreating DomainPhase = "Creating"
	// DomainReady exists in Takaro as the spec says.
	DomainReady DomainPhase = "Ready"
	// DomainError needs a person: see the conditions.
	DomainError DomainPhase = "Error"
	// DomainDeleting is being removed.
	DomainDeleting DomainPhase = "Deleting"
)

// GameServerCounts counts game servers.
type GameServerCounts struct {
	// Registered game servers known to Takaro.
	// +optional
	Registered int32 `json:"registered,omitempty" protobuf:"varint,1,opt,name=registered"`
	// Reachable ones among them.
	// +optional
	Reachable int32 `json:"reachable,omitempty" protobuf:"varint,2,opt,name=reachable"`
}

// UserCounts counts Users.
type UserCounts struct {
	// Ready Users.
	// +optional
	Ready int32 `json:"ready,omitempty" protobuf:"varint,1,opt,name=ready"`
	// Total Users.
	// +optional
	Total int32 `json:"total,omitempty" protobuf:"varint,2,opt,name=total"`
}
