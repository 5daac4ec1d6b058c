// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// TakaroEndpoint is the internal version of v1alpha1.TakaroEndpoint.
type TakaroEndpoint struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   TakaroEndpointSpec
	Status TakaroEndpointStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// TakaroEndpointList is a list of TakaroEndpoints.
type TakaroEndpointList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []TakaroEndpoint
}

// TakaroEndpointSpec is the desired state of a TakaroEndpoint.
type TakaroEndpointSpec struct {
	URL string
}

// TakaroEndpointStatus is the observed state of a TakaroEndpoint.
type TakaroEndpointStatus struct {
	ObservedGeneration int64
	Installation       string
	Domains            int32
	Left               []LeftDomain
	Holds              []Hold
	Conditions         []metav1.Condition
	Anchor             *Anchor
}

// Anchor is the domain by which the controller recognizes a Takaro.
type Anchor struct {
	ID        string
	CreatedAt metav1.Time
	HeldBy    string
}

// LeftDomain is a domain that remained in Takaro after its Domain was deleted.
type LeftDomain struct {
	ID     string
	Object string
	Since  metav1.Time
}

// HoldType is the kind of change that a hold counts.
type HoldType string

const (
	// HoldVanished holds the creation of domains that are missing in Takaro.
	HoldVanished HoldType = "Vanished"
	// HoldDeletion holds the deletion of domains.
	HoldDeletion HoldType = "Deletion"
	// HoldRestarts holds the restart of mock servers.
	HoldRestarts HoldType = "Restarts"
)

// Hold is a set of changes that wait for a user to release them.
type Hold struct {
	Type     HoldType
	Token    string
	Held     int32
	Names    []string
	Released []string
}
