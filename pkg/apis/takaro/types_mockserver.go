// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MockServer is a set of simulated game servers of a Takaro domain.
type MockServer struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   MockServerSpec
	Status MockServerStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MockServerList is a list of MockServers.
type MockServerList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []MockServer
}

// MockServerSpec is the desired state of a MockServer. See v1alpha1 for the documentation of the
// fields.
type MockServerSpec struct {
	Name                   string
	DomainRef              *LocalObjectReference
	ExternalReferenceID    string
	TakaroAPIURL           string
	ConnectorURL           string
	CredentialsSecretRef   *SecretKeyReference
	CABundleSecretRef      *SecretKeyReference
	SimulationFrequencies  SimulationFrequencies
	TotalPlayers           *int32
	PopulationWeekendBoost *int32
	PopulationVariance     *int32
	AutoStart              *bool
	Redis                  *MockServerRedis
	Replicas               *int32
	Image                  string
	ImagePullSecrets       []LocalObjectReference
	Resources              corev1.ResourceRequirements
	NodeSelector           map[string]string
	Tolerations            []corev1.Toleration
}

// SimulationFrequencies are percentages. 0 disables an event.
type SimulationFrequencies struct {
	Chat       *int32
	Movement   *int32
	Connection *int32
	Death      *int32
	Kill       *int32
	Item       *int32
}

// MockServerRedis is an existing Redis that Roadstead does not manage.
type MockServerRedis struct {
	Host              string
	Port              *int32
	Username          string
	PasswordSecretRef *SecretKeyReference
}

// MockServerStatus is the observed state of a MockServer.
type MockServerStatus struct {
	ObservedGeneration int64
	Phase              MockServerPhase
	Replicas           int32
	ReadyReplicas      int32
	Reachable          int32
	GameServers        []MockGameServer
	Selector           string
	Conditions         []metav1.Condition
	Ownership          *ownership.Status
}

// MockGameServer is one game server of a MockServer in Takaro.
type MockGameServer struct {
	Name      string
	ID        string
	Reachable bool
}

// MockServerPhase is a one-word summary of the conditions of a MockServer.
type MockServerPhase string

// Phases of a MockServer.
const (
	MockServerPending     MockServerPhase = "Pending"
	MockServerDeploying   MockServerPhase = "Deploying"
	MockServerRegistering MockServerPhase = "Registering"
	MockServerReady       MockServerPhase = "Ready"
	MockServerError       MockServerPhase = "Error"
	MockServerDeleting    MockServerPhase = "Deleting"
)
