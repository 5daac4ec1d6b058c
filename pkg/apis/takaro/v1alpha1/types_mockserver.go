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

// MockServer is a set of simulated game servers of a Takaro domain. Roadstead runs them as pods of a StatefulSet, sees
// that each registers and stays reachable, and removes their game server records when they go.
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
	// Status is the observed state. It is written by the controller and read-only otherwise.
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
	// Name of the first game server in Takaro, 3 to 37 characters; further replicas are <name>-1, <name>-2 and so on.
	// Defaults to metadata.name; an update that leaves it out keeps it. Immutable.
	// +optional
	// +k8s:required
	// +k8s:minLength=3
	// +k8s:maxLength=37
	// +k8s:immutable
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`
	// DomainRef names the Domain, in the same namespace, that the game servers belong to. Exactly one of domainRef and
	// externalReferenceId is set. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:immutable
	DomainRef *LocalObjectReference `json:"domainRef,omitempty" protobuf:"bytes,2,opt,name=domainRef"`
	// ExternalReferenceID is the externalReference of a Takaro domain that no Domain stands for, 3 to 200 characters. It
	// needs takaroApiUrl, and either credentialsSecretRef or the RBAC verb "adopt" on domains. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:minLength=3
	// +k8s:maxLength=200
	// +k8s:immutable
	ExternalReferenceID string `json:"externalReferenceId,omitempty" protobuf:"bytes,3,opt,name=externalReferenceId"`
	// TakaroAPIURL is the address of the Takaro API; only with externalReferenceId. Immutable.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	// +k8s:immutable
	TakaroAPIURL string `json:"takaroApiUrl,omitempty" protobuf:"bytes,4,opt,name=takaroApiUrl"`
	// ConnectorURL is the WebSocket address that the game servers connect to (ws or wss); only with externalReferenceId.
	// Defaults as in Domain.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=2048
	ConnectorURL string `json:"connectorUrl,omitempty" protobuf:"bytes,5,opt,name=connectorUrl"`
	// CredentialsSecretRef names the Secret key that holds Takaro's admin token; only with externalReferenceId. Its key
	// defaults to adminToken. Whoever sets it must be allowed to get the Secret.
	// +optional
	// +k8s:optional
	CredentialsSecretRef *SecretKeyReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,6,opt,name=credentialsSecretRef"`
	// CABundleSecretRef names the Secret key that holds PEM certificates of a private CA; only with externalReferenceId.
	// Its key defaults to ca.crt. Whoever sets it must be allowed to get the Secret.
	// +optional
	// +k8s:optional
	CABundleSecretRef *SecretKeyReference `json:"caBundleSecretRef,omitempty" protobuf:"bytes,7,opt,name=caBundleSecretRef"`
	// SimulationFrequencies say how often each kind of event happens.
	// +optional
	SimulationFrequencies SimulationFrequencies `json:"simulationFrequencies,omitempty" protobuf:"bytes,8,opt,name=simulationFrequencies"`
	// TotalPlayers is the size of the pool of simulated players, 0 to 10000. Defaults to 10.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=10000
	TotalPlayers *int32 `json:"totalPlayers,omitempty" protobuf:"varint,9,opt,name=totalPlayers"`
	// PopulationWeekendBoost is by how many percentage points more players are online from Friday to Sunday, 0 to 100.
	// Defaults to 15.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	PopulationWeekendBoost *int32 `json:"populationWeekendBoost,omitempty" protobuf:"varint,10,opt,name=populationWeekendBoost"`
	// PopulationVariance is by how many percentage points the number of online players varies, 0 to 100. Defaults to 5.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	PopulationVariance *int32 `json:"populationVariance,omitempty" protobuf:"varint,11,opt,name=populationVariance"`
	// AutoStart starts the simulation with the game server. Defaults to true.
	// +optional
	AutoStart *bool `json:"autoStart,omitempty" protobuf:"varint,12,opt,name=autoStart"`
	// Redis is where the simulation keeps its state. It is used as it is. Defaults to the installation's shared Redis,
	// with a login of its own for this MockServer.
	// +optional
	// +k8s:optional
	Redis *MockServerRedis `json:"redis,omitempty" protobuf:"bytes,13,opt,name=redis"`
	// Replicas is how many game servers run, 0 to 100; each is its own game server in Takaro. Defaults to 1.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Replicas *int32 `json:"replicas,omitempty" protobuf:"varint,14,opt,name=replicas"`
	// Image of the mock game server. Defaults to the installation's.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=1024
	Image string `json:"image,omitempty" protobuf:"bytes,15,opt,name=image"`
	// ImagePullSecrets name Secrets, in the same namespace, with registry logins.
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=16
	// +k8s:listType=atomic
	ImagePullSecrets []LocalObjectReference `json:"imagePullSecrets,omitempty" protobuf:"bytes,16,rep,name=imagePullSecrets"`
	// Resources are requests and limits of each pod.
	// +optional
	// +k8s:opaqueType
	Resources corev1.ResourceRequirements `json:"resources,omitempty" protobuf:"bytes,17,opt,name=resources"`
	// NodeSelector are labels that a node must have.
	// +optional
	// +k8s:optional
	// +k8s:maxProperties=64
	NodeSelector map[string]string `json:"nodeSelector,omitempty" protobuf:"bytes,18,rep,name=nodeSelector"`
	// Tolerations are taints of nodes that the pods tolerate.
	// +optional
	// +listType=atomic
	// +k8s:optional
	// +k8s:maxItems=64
	// +k8s:listType=atomic
	// +k8s:eachVal=+k8s:opaqueType
	Tolerations []corev1.Toleration `json:"tolerations,omitempty" protobuf:"bytes,19,rep,name=tolerations"`
}

// SimulationFrequencies are percentages: 0 switches an event off, 100 is as often as Takaro's mock server can.
type SimulationFrequencies struct {
	// Chat messages, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Chat *int32 `json:"chat,omitempty" protobuf:"varint,1,opt,name=chat"`
	// Movement of players, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Movement *int32 `json:"movement,omitempty" protobuf:"varint,2,opt,name=movement"`
	// Connection of players who come and go, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Connection *int32 `json:"connection,omitempty" protobuf:"varint,3,opt,name=connection"`
	// Death of players, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Death *int32 `json:"death,omitempty" protobuf:"varint,4,opt,name=death"`
	// Kill of entities, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Kill *int32 `json:"kill,omitempty" protobuf:"varint,5,opt,name=kill"`
	// Item pickups, 0 to 100. Defaults to 50.
	// +optional
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=100
	Item *int32 `json:"item,omitempty" protobuf:"varint,6,opt,name=item"`
}

// MockServerRedis is a Redis that is used as it is.
type MockServerRedis struct {
	// Host name or address.
	// +required
	// +k8s:required
	// +k8s:maxLength=253
	Host string `json:"host" protobuf:"bytes,1,opt,name=host"`
	// Port, 1 to 65535. Defaults to 6379.
	// +optional
	// +k8s:optional
	// +k8s:minimum=1
	// +k8s:maximum=65535
	Port *int32 `json:"port,omitempty" protobuf:"varint,2,opt,name=port"`
	// Username of the login. Defaults to Redis' default user.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=253
	Username string `json:"username,omitempty" protobuf:"bytes,3,opt,name=username"`
	// PasswordSecretRef names the Secret key with the password; its key defaults to password. Whoever sets it must be
	// allowed to get the Secret.
	// +optional
	// +k8s:optional
	PasswordSecretRef *SecretKeyReference `json:"passwordSecretRef,omitempty" protobuf:"bytes,4,opt,name=passwordSecretRef"`
}

// MockServerStatus is the observed state of a MockServer.
type MockServerStatus struct {
	// ObservedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is one word for people, derived from the conditions: Pending, Deploying, Registering, Ready, Error or
	// Deleting.
	// +optional
	Phase MockServerPhase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=MockServerPhase"`
	// Replicas is how many pods there are.
	// +optional
	Replicas int32 `json:"replicas,omitempty" protobuf:"varint,3,opt,name=replicas"`
	// ReadyReplicas is how many of them are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty" protobuf:"varint,4,opt,name=readyReplicas"`
	// Reachable is how many game servers Takaro reaches.
	// +optional
	Reachable int32 `json:"reachable,omitempty" protobuf:"varint,5,opt,name=reachable"`
	// GameServers are the game servers in Takaro, by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +patchMergeKey=name
	// +patchStrategy=merge
	GameServers []MockGameServer `json:"gameServers,omitempty" patchStrategy:"merge" patchMergeKey:"name" protobuf:"bytes,6,rep,name=gameServers"`
	// Selector selects the pods, for the scale subresource.
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
	// Ownership records what this object owns in Takaro. Only the controller writes it; what else a client sends is
	// replaced by what is stored. It is absent in objects that an earlier release stored.
	// +optional
	// +k8s:opaqueType
	Ownership *ownership.Status `json:"ownership,omitempty" protobuf:"bytes,9,opt,name=ownership"`
}

// MockGameServer is one game server of a MockServer in Takaro.
type MockGameServer struct {
	// Name in Takaro.
	// +required
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
	// ID in Takaro.
	// +optional
	ID string `json:"id,omitempty" protobuf:"bytes,2,opt,name=id"`
	// Reachable is whether Takaro reaches it.
	// +optional
	Reachable bool `json:"reachable,omitempty" protobuf:"varint,3,opt,name=reachable"`
}

// MockServerPhase is one word for people, derived from the conditions.
// +enum
type MockServerPhase string

const (
	// MockServerPending waits for something that is not there yet.
	MockServerPending MockServerPhase = "Pending"
	// MockServerDeploying has pods that are not up yet.
	MockServerDeploying MockServerPhase = "Deploying"
	// MockServerRegistering has game servers that Takaro does not reach yet.
	MockServerRegistering MockServerPhase = "Registering"
	// MockServerReady has all its game servers reachable.
	MockServerReady MockServerPhase = "Ready"
	// MockServerError needs a person: see the conditions.
	MockServerError MockServerPhase = "Error"
	// MockServerDeleting is being removed.
	MockServerDeleting MockServerPhase = "Deleting"
)
