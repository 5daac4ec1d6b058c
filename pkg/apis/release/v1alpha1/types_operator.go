// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +genclient
// +genclient:nonNamespaced
// +k8s:supportsSubresource="/status"
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Operator is an operator that is installed by a Helm chart: where the chart comes from, how it is installed, and what a
// breaking change of its CustomResourceDefinitions needs.
type Operator struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	// +optional
	Spec OperatorSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	// Status is the observed state. It is written by the controller and read-only otherwise.
	// +optional
	Status OperatorStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorList is a list of Operators.
type OperatorList struct {
	// +k8s:opaqueType
	metav1.TypeMeta `json:",inline"`
	// Standard list metadata.
	// +optional
	// +k8s:opaqueType
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the Operators.
	Items []Operator `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// OperatorSpec is the desired state of an Operator.
type OperatorSpec struct {
	// Chart says where the Helm chart comes from.
	// +required
	Chart OperatorChart `json:"chart" protobuf:"bytes,1,opt,name=chart"`
	// ReleaseName is the name of the Helm release, at most 53 characters. Immutable. Defaults to metadata.name; where that is
	// longer, a name must be given.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=53
	// +k8s:immutable
	ReleaseName string `json:"releaseName,omitempty" protobuf:"bytes,2,opt,name=releaseName"`
	// Namespace is where the operator is installed. Immutable.
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	// +k8s:immutable
	Namespace string `json:"namespace" protobuf:"bytes,3,opt,name=namespace"`
	// Values are Helm values, laid over those of the chart. At most 256 KiB.
	// +optional
	// +k8s:opaqueType
	Values *runtime.RawExtension `json:"values,omitempty" protobuf:"bytes,4,opt,name=values"`
	// ValuesFrom are Secrets with more Helm values, laid over values in their order. At most 10. Whoever sets one must be
	// allowed to get the Secret.
	// +optional
	// +k8s:optional
	// +k8s:maxItems=10
	// +listType=atomic
	ValuesFrom []ValuesSource `json:"valuesFrom,omitempty" protobuf:"bytes,5,rep,name=valuesFrom"`
	// EnvironmentValues are Helm values by the environment of a cluster (Development, Staging, Production), laid over values
	// and valuesFrom. At most 256 KiB each.
	// +optional
	// +k8s:opaqueType
	EnvironmentValues map[string]runtime.RawExtension `json:"environmentValues,omitempty" protobuf:"bytes,6,rep,name=environmentValues"`
	// CRDPolicy says what a breaking change of a CustomResourceDefinition needs.
	// +optional
	CRDPolicy CRDPolicy `json:"crdPolicy,omitempty" protobuf:"bytes,7,opt,name=crdPolicy"`
	// VersionHistoryLimit is how many OperatorVersions are kept, 1 to 200; of more, the oldest that were discovered
	// and that nothing needs are deleted. Defaults to 20.
	// +optional
	// +k8s:optional
	// +k8s:minimum=1
	// +k8s:maximum=200
	VersionHistoryLimit *int32 `json:"versionHistoryLimit,omitempty" protobuf:"varint,8,opt,name=versionHistoryLimit"`
}

// OperatorChart says where a Helm chart comes from.
type OperatorChart struct {
	// Repository is the address of a chart repository (https://…) or of the folder of an OCI registry that holds the chart
	// (oci://…). No credentials, query or fragment. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=2048
	// +k8s:immutable
	Repository string `json:"repository" protobuf:"bytes,1,opt,name=repository"`
	// Name of the chart in the repository. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=250
	// +k8s:immutable
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
	// CredentialsSecretRef names a Secret of type kubernetes.io/basic-auth or kubernetes.io/dockerconfigjson with the
	// credentials of the repository. Whoever sets it must be allowed to get the Secret. Without it the repository is read
	// anonymously.
	// +optional
	// +k8s:optional
	CredentialsSecretRef *SecretReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,3,opt,name=credentialsSecretRef"`
	// Discover lets the controller make an OperatorVersion of each version that the repository has: None, All, or a range of
	// semantic versions such as ">=1.14 <2". It looks every 10 minutes. Defaults to None.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=200
	Discover string `json:"discover,omitempty" protobuf:"bytes,4,opt,name=discover"`
}

// The values of spec.chart.discover that are no range.
const (
	// DiscoverNone makes no OperatorVersion.
	DiscoverNone = "None"
	// DiscoverAll makes one of each version in the repository.
	DiscoverAll = "All"
)

// ValuesSource is where Helm values come from.
type ValuesSource struct {
	// SecretRef names a key of a Secret that holds values as YAML.
	// +required
	// +k8s:required
	SecretRef *SecretKeyReference `json:"secretRef" protobuf:"bytes,1,opt,name=secretRef"`
}

// CRDPolicy says what a breaking change of a CustomResourceDefinition needs.
type CRDPolicy struct {
	// Breaking changes are refused (Deny), need an approval (RequireApproval), or are only told (Warn). In Production they
	// always need an approval at least. Defaults to RequireApproval.
	// +optional
	// +k8s:optional
	Breaking BreakingPolicy `json:"breaking,omitempty" protobuf:"bytes,1,opt,name=breaking,casttype=BreakingPolicy"`
}

// BreakingPolicy says what a breaking change needs.
// +enum
// +k8s:enum
type BreakingPolicy string

const (
	// BreakingDeny refuses it.
	BreakingDeny BreakingPolicy = "Deny"
	// BreakingRequireApproval lets it wait for an approval.
	BreakingRequireApproval BreakingPolicy = "RequireApproval"
	// BreakingWarn lets it pass with a warning.
	BreakingWarn BreakingPolicy = "Warn"
)

// OperatorStatus is the observed state of an Operator.
type OperatorStatus struct {
	// ObservedGeneration is the metadata.generation that this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is one word for people, derived from the conditions: Pending, Ready or Error.
	// +optional
	Phase Phase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=Phase"`
	// LatestVersion is the highest version among the Operator's OperatorVersions.
	// +optional
	LatestVersion string `json:"latestVersion,omitempty" protobuf:"bytes,3,opt,name=latestVersion"`
	// Versions is the number of the Operator's OperatorVersions.
	// +optional
	Versions int32 `json:"versions,omitempty" protobuf:"varint,4,opt,name=versions"`
	// Conditions are Ready, Stalled and RepositoryReachable (the repository answers and has the chart).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,5,rep,name=conditions"`
	// ChangedBy is the authenticated name of the user who created the object or last changed its spec. The server sets it.
	// +optional
	ChangedBy string `json:"changedBy,omitempty" protobuf:"bytes,6,opt,name=changedBy"`
}

// Phase is one word for people, derived from the conditions.
// +enum
type Phase string

const (
	// PhasePending waits for something that is not there yet.
	PhasePending Phase = "Pending"
	// PhaseReady is as the spec says.
	PhaseReady Phase = "Ready"
	// PhaseAwaitingApproval waits for a person's decision.
	PhaseAwaitingApproval Phase = "AwaitingApproval"
	// PhaseError needs a person: see the conditions.
	PhaseError Phase = "Error"
)
