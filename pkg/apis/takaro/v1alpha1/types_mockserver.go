// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
)

// +genclient
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MockServer is a set of simulated game servers of a Takaro domain. Roadstead runs them as the
// pods of a StatefulSet, ensures that each of them registers and stays reachable, and removes the
// records of game servers that no longer run.
type MockServer struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata. The name may have at most 52 characters.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	// +optional
	Spec MockServerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the observed state. Only the controller writes it.
	// +optional
	Status MockServerStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// MockServerList is a list of MockServers.
type MockServerList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the MockServers.
	Items []MockServer `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// MockServerSpec is the desired state of a MockServer.
type MockServerSpec struct {
	// Name is the name of the first game server in Takaro, 3 to 37 characters. Further replicas
	// are named <name>-1, <name>-2 and so on. Defaults to metadata.name. An update that omits the
	// name keeps the current one. Immutable.
	// +optional
	// +k8s:required
	// +k8s:minLength=3
	// +k8s:maxLength=37
	// +k8s:immutable
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// DomainRef refers to the Domain, in the same namespace, that the game servers belong to.
	// Exactly one of domainRef and externalReferenceId must be set. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	DomainRef *LocalObjectReference `json:"domainRef,omitempty" protobuf:"bytes,2,opt,name=domainRef"`
	// ExternalReferenceID is the externalReference of a Takaro domain that is not managed by a
	// Domain, 3 to 200 characters. It requires takaroApiUrl, and either credentialsSecretRef or
	// the RBAC verb "adopt" on domains. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:minLength=3
	// +k8s:maxLength=200
	// +k8s:immutable
	ExternalReferenceID string `json:"externalReferenceId,omitempty" protobuf:"bytes,3,opt,name=externalReferenceId"`
	// TakaroAPIURL is the address of the Takaro API. It may be set only together with
	// externalReferenceId. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	// +k8s:immutable
	TakaroAPIURL string `json:"takaroApiUrl,omitempty" protobuf:"bytes,4,opt,name=takaroApiUrl"`
	// ConnectorURL is the WebSocket address (ws or wss) that the game servers connect to. It may
	// be set only together with externalReferenceId. The default is the same as for a Domain.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	ConnectorURL string `json:"connectorUrl,omitempty" protobuf:"bytes,5,opt,name=connectorUrl"`
	// CredentialsSecretRef refers to the Secret key that holds Takaro's admin token. It may be
	// set only together with externalReferenceId. Its key defaults to adminToken. Setting it
	// requires permission to get the Secret.
	// +optional
	// +k8s:optional
	CredentialsSecretRef *SecretKeyReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,6,opt,name=credentialsSecretRef"`
	// CABundleSecretRef refers to the Secret key that holds the PEM certificates of a private CA.
	// It may be set only together with externalReferenceId. Its key defaults to ca.crt. Setting
	// it requires permission to get the Secret.
	// +optional
	// +k8s:optional
	CABundleSecretRef *SecretKeyReference `json:"caBundleSecretRef,omitempty" protobuf:"bytes,7,opt,name=caBundleSecretRef"`
	// SimulationFrequencies are the frequencies of the simulated events, by kind of event.
	// +optional
	SimulationFrequencies SimulationFrequencies `json:"simulationFrequencies,omitempty" protobuf:"bytes,8,opt,name=simulationFrequencies"`
	// TotalPlayers is the number of simulated players in the pool, 0 to 10000. Defaults to 10.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=10000
	TotalPlayers *int32 `json:"totalPlayers,omitempty" protobuf:"varint,9,opt,name=totalPlayers"`
	// PopulationWeekendBoost is the increase of the number of online players from Friday to
	// Sunday, in percentage points, 0 to 100. Defaults to 15.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	PopulationWeekendBoost *int32 `json:"populationWeekendBoost,omitempty" protobuf:"varint,10,opt,name=populationWeekendBoost"`
	// PopulationVariance is the variation of the number of online players, in percentage points,
	// 0 to 100. Defaults to 5.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	PopulationVariance *int32 `json:"populationVariance,omitempty" protobuf:"varint,11,opt,name=populationVariance"`
	// AutoStart starts the simulation when the game server starts. Defaults to true.
	// +optional
	AutoStart *bool `json:"autoStart,omitempty" protobuf:"varint,12,opt,name=autoStart"`
	// Redis is an existing Redis in which the simulation keeps its state. Roadstead does not
	// manage it. Defaults to the shared Redis of the installation, with a separate login for this
	// MockServer.
	// +optional
	// +k8s:optional
	Redis *MockServerRedis `json:"redis,omitempty" protobuf:"bytes,13,opt,name=redis"`
	// Replicas is the number of game servers to run, 0 to 100. Each replica is a separate game
	// server in Takaro. Defaults to 1.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,14,opt,name=replicas"`
	// Image is the container image of the mock game server. Defaults to the image that is
	// configured for the installation.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	Image string `json:"image,omitempty" protobuf:"bytes,15,opt,name=image"`
	// ImagePullSecrets refer to Secrets, in the same namespace, with credentials for the image
	// registry.
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=16
	// +k8s:listType=atomic
	ImagePullSecrets []LocalObjectReference `json:"imagePullSecrets,omitempty" protobuf:"bytes,16,rep,name=imagePullSecrets"`
	// Resources are the resource requests and limits of each pod.
	// +optional
	// +k8s:opaqueType
	Resources corev1.ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,17,opt,name=resources"`
	// NodeSelector contains the labels that a node must have to run the pods.
	// +optional
	// +k8s:optional
	// +k8s:maxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty" protobuf:"bytes,18,rep,name=nodeSelector"`
	// Tolerations are the tolerations of the pods.
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=64
	// +k8s:listType=atomic
	// +k8s:eachVal=+k8s:opaqueType
	Tolerations []corev1.Toleration `json:"tolerations,omitempty" protobuf:"bytes,19,rep,name=tolerations"`
}

// SimulationFrequencies are percentages: 0 disables an event, 100 is the highest frequency of
// Takaro's mock server.
type SimulationFrequencies struct {
	// Chat is the frequency of chat messages, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Chat *int32 `json:"chat,omitempty" protobuf:"varint,1,opt,name=chat"`
	// Movement is the frequency of player movements, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Movement *int32 `json:"movement,omitempty" protobuf:"varint,2,opt,name=movement"`
	// Connection is the frequency of players connecting and disconnecting, 0 to 100. Defaults to
	// 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Connection *int32 `json:"connection,omitempty" protobuf:"varint,3,opt,name=connection"`
	// Death is the frequency of player deaths, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Death *int32 `json:"death,omitempty" protobuf:"varint,4,opt,name=death"`
	// Kill is the frequency of entities being killed, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Kill *int32 `json:"kill,omitempty" protobuf:"varint,5,opt,name=kill"`
	// Item is the frequency of item pickups, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Item *int32 `json:"item,omitempty" protobuf:"varint,6,opt,name=item"`
}

// MockServerRedis is an existing Redis that Roadstead does not manage.
type MockServerRedis struct {
	// Host is the host name or the IP address of the Redis.
	// +required
	// +k8s:required
	// +k8s:maxLength=253
	Host string `json:"host" protobuf:"bytes,1,opt,name=host"`
	// Port is the port of the Redis, 1 to 65535. Defaults to 6379.
	// +optional
	// +k8s:optional
	// +k8s:minimum=1
	// +k8s:maximum=65535
	Port *int32 `json:"port,omitempty" protobuf:"varint,2,opt,name=port"`
	// Username is the user name of the login. Defaults to the default user of Redis.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=253
	Username string `json:"username,omitempty" protobuf:"bytes,3,opt,name=username"`
	// PasswordSecretRef refers to the Secret key with the password. Its key defaults to password.
	// Setting it requires permission to get the Secret.
	// +optional
	// +k8s:optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty" protobuf:"bytes,4,opt,name=passwordSecretRef"`
}

// MockServerStatus is the observed state of a MockServer.
type MockServerStatus struct {
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is a one-word summary of the conditions: Pending, Deploying, Registering, Ready,
	// Error or Deleting.
	// +optional
	Phase MockServerPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=MockServerPhase"`
	// Replicas is the number of existing pods.
	// +optional
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,3,opt,name=replicas"`
	// ReadyReplicas is the number of ready pods.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,4,opt,name=readyReplicas"`
	// Reachable is the number of game servers that Takaro can reach.
	// +optional
	Reachable int32 `json:"reachable,omitempty" protobuf:"varint,5,opt,name=reachable"`
	// GameServers are the game servers in Takaro, keyed by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +patchMergeKey=name
	// +patchStrategy=merge
	GameServers []MockGameServer `json:"gameServers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep,name=gameServers"`
	// Selector is the label selector of the pods, for the scale subresource.
	// +optional
	Selector string `json:"selector,omitempty" protobuf:"bytes,7,opt,name=selector"`
	// Conditions are Ready, Stalled, Deployed, Registered and Synced.
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,8,rep,name=conditions"`
	// Ownership records what this object owns in Takaro. Only the controller writes it. A
	// different value from any other client is replaced by the stored value. It is absent in
	// objects that an earlier release stored.
	// +optional
	// +k8s:opaqueType
	Ownership *ownership.Status `json:"ownership,omitempty" protobuf:"bytes,9,opt,name=ownership"`
}

// MockGameServer is one game server of a MockServer in Takaro.
type MockGameServer struct {
	// Name is the name of the game server in Takaro.
	// +required
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
	// ID is the ID of the game server in Takaro.
	// +optional
	ID string `json:"id,omitempty" protobuf:"bytes,2,opt,name=id"`
	// Reachable reports whether Takaro can reach the game server.
	// +optional
	Reachable bool `json:"reachable,omitempty" protobuf:"varint,3,opt,name=reachable"`
}

// MockServerPhase is a one-word summary of the conditions of a MockServer.
// +enum
type MockServerPhase string

const (
	// MockServerPending means that the controller waits for something that does not exist yet.
	MockServerPending MockServerPhase = "Pending"
	// MockServerDeploying means that some pods are not running yet.
	MockServerDeploying MockServerPhase = "Deploying"
	// MockServerRegistering means that Takaro cannot reach some game servers yet.
	MockServerRegistering MockServerPhase = "Registering"
	// MockServerReady means that Takaro can reach all game servers.
	MockServerReady MockServerPhase = "Ready"
	// MockServerError means that a user must act. The conditions contain the cause.
	MockServerError MockServerPhase = "Error"
	// MockServerDeleting means that the object is being deleted.
	MockServerDeleting MockServerPhase = "Deleting"
)
