// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Domain is a domain (tenant) in a Takaro installation.
type Domain struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   DomainSpec
	Status DomainStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DomainList is a list of Domains.
type DomainList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []Domain
}

// DomainSpec is the desired state of a Domain. See v1alpha1 for the documentation of the fields.
type DomainSpec struct {
	Name                 string
	TakaroAPIURL         string
	ConnectorURL         string
	CredentialsSecretRef *SecretKeyReference
	CABundleSecretRef    *SecretKeyReference
	ExternalReferenceID  string
	Adopt                bool
	DomainLimits         *DomainLimits
	MaintenanceMode      bool
	Disabled             bool
	Description          string
	DeletionPolicy       DeletionPolicy
}

// DomainLimits are the limits of a domain in Takaro. A nil field is not set.
type DomainLimits struct {
	MaxGameServers     *int32
	MaxUsers           *int32
	MaxVariables       *int32
	MaxModules         *int32
	EventRetentionDays *int32
}

// DomainStatus is the observed state of a Domain.
type DomainStatus struct {
	ObservedGeneration         int64
	Phase                      DomainPhase
	DomainID                   string
	ExternalReferenceID        string
	RegistrationTokenSecretRef *LocalObjectReference
	RootCredentialsSecretRef   *LocalObjectReference
	ObservedLimits             *DomainLimits
	GameServers                GameServerCounts
	Users                      UserCounts
	Conditions                 []metav1.Condition
	Ownership                  *ownership.Status
}

// DomainPhase is a one-word summary of the conditions of a Domain.
type DomainPhase string

// Phases of a Domain.
const (
	DomainPending  DomainPhase = "Pending"
	DomainCreating DomainPhase = "Creating"
	DomainReady    DomainPhase = "Ready"
	DomainError    DomainPhase = "Error"
	DomainDeleting DomainPhase = "Deleting"
)

// GameServerCounts are the numbers of game servers of the Domain's MockServers.
type GameServerCounts struct {
	Registered int32
	Reachable  int32
}

// UserCounts are the numbers of the Domain's Users.
type UserCounts struct {
	Ready int32
	Total int32
}
