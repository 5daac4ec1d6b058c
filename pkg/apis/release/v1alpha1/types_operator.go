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

// Operator is an operator that is installed by a Helm chart: the source of the chart, its
// installation, and the policy for breaking changes of its CustomResourceDefinitions.
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
	// Status is the observed state. Only the controller writes it.
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
	// Chart is the source of the Helm chart.
	// +required
	Chart OperatorChart `json:"chart" protobuf:"bytes,1,opt,name=chart"`
	// ReleaseName is the name of the Helm release, at most 53 characters. Immutable. Defaults to
	// metadata.name. It is required if metadata.name is longer.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=53
	// +k8s:immutable
	ReleaseName string `json:"releaseName,omitempty" protobuf:"bytes,2,opt,name=releaseName"`
	// Namespace is the namespace in which the operator is installed. Immutable.
	// +required
	// +k8s:required
	// +k8s:format=k8s-short-name
	// +k8s:immutable
	Namespace string `json:"namespace" protobuf:"bytes,3,opt,name=namespace"`
	// Values are Helm values, which override the values of the chart. At most 256 KiB.
	// +optional
	// +k8s:opaqueType
	Values *runtime.RawExtension `json:"values,omitempty" protobuf:"bytes,4,opt,name=values"`
	// ValuesFrom are Secrets with additional Helm values, which override values. A later Secret
	// overrides an earlier one. At most 10. Setting one requires permission to get the Secret.
	// +optional
	// +k8s:optional
	// +k8s:maxItems=10
	// +listType=atomic
	ValuesFrom []ValuesSource `json:"valuesFrom,omitempty" protobuf:"bytes,5,rep,name=valuesFrom"`
	// EnvironmentValues are Helm values by the environment of a cluster (Development, Staging,
	// Production), which override values and valuesFrom. At most 256 KiB each.
	// +optional
	// +k8s:opaqueType
	EnvironmentValues map[string]runtime.RawExtension `json:"environmentValues,omitempty" protobuf:"bytes,6,rep,name=environmentValues"`
	// CRDPolicy is the policy for changes of CustomResourceDefinitions.
	// +optional
	CRDPolicy CRDPolicy `json:"crdPolicy,omitempty" protobuf:"bytes,7,opt,name=crdPolicy"`
	// VersionHistoryLimit is the number of OperatorVersions to keep, 1 to 200. If there are more,
	// the oldest ones that were discovered and that nothing depends on are deleted. Defaults to
	// 20.
	// +optional
	// +k8s:optional
	// +k8s:minimum=1
	// +k8s:maximum=200
	VersionHistoryLimit *int32 `json:"versionHistoryLimit,omitempty" protobuf:"varint,8,opt,name=versionHistoryLimit"`
}

// OperatorChart is the source of a Helm chart.
type OperatorChart struct {
	// Repository is the address of a chart repository (https://…), or of the folder of an OCI
	// registry that contains the chart (oci://…). It must not contain credentials, a query or a
	// fragment. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=2048
	// +k8s:immutable
	Repository string `json:"repository" protobuf:"bytes,1,opt,name=repository"`
	// Name is the name of the chart in the repository. Immutable.
	// +required
	// +k8s:required
	// +k8s:maxLength=250
	// +k8s:immutable
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`
	// CredentialsSecretRef refers to a Secret of type kubernetes.io/basic-auth or
	// kubernetes.io/dockerconfigjson with the credentials of the repository. Setting it requires
	// permission to get the Secret. If it is not set, the repository is read anonymously.
	// +optional
	// +k8s:optional
	CredentialsSecretRef *SecretReference `json:"credentialsSecretRef,omitempty" protobuf:"bytes,3,opt,name=credentialsSecretRef"`
	// Discover determines the versions in the repository for which the controller creates an
	// OperatorVersion: None, All, or a range of semantic versions such as ">=1.14 <2". The
	// controller checks the repository every 10 minutes. Defaults to None.
	// +optional
	// +k8s:optional
	// +k8s:maxLength=200
	Discover string `json:"discover,omitempty" protobuf:"bytes,4,opt,name=discover"`
}

// Values of spec.chart.discover that are not ranges.
const (
	// DiscoverNone creates no OperatorVersions.
	DiscoverNone = "None"
	// DiscoverAll creates an OperatorVersion for each version in the repository.
	DiscoverAll = "All"
)

// ValuesSource is a source of Helm values.
type ValuesSource struct {
	// SecretRef refers to a key of a Secret that contains values as YAML.
	// +required
	// +k8s:required
	SecretRef *SecretKeyReference `json:"secretRef" protobuf:"bytes,1,opt,name=secretRef"`
}

// CRDPolicy is the policy for changes of CustomResourceDefinitions.
type CRDPolicy struct {
	// Breaking determines whether breaking changes are refused (Deny), require an approval
	// (RequireApproval), or are only reported (Warn). In Production they always require at least
	// an approval. Defaults to RequireApproval.
	// +optional
	// +k8s:optional
	Breaking BreakingPolicy `json:"breaking,omitempty" protobuf:"bytes,1,opt,name=breaking,casttype=BreakingPolicy"`
}

// BreakingPolicy is the policy for breaking changes.
// +enum
// +k8s:enum
type BreakingPolicy string

const (
	// BreakingDeny refuses the change.
	BreakingDeny BreakingPolicy = "Deny"
	// BreakingRequireApproval requires an approval for the change.
	BreakingRequireApproval BreakingPolicy = "RequireApproval"
	// BreakingWarn allows the change with a warning.
	BreakingWarn BreakingPolicy = "Warn"
)

// OperatorStatus is the observed state of an Operator.
type OperatorStatus struct {
	// ObservedGeneration is the metadata.generation that this status refers to.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`
	// Phase is a one-word summary of the conditions: Pending, Ready or Error.
	// +optional
	Phase Phase `json:"phase,omitempty" protobuf:"bytes,2,opt,name=phase,casttype=Phase"`
	// LatestVersion is the highest version among the Operator's OperatorVersions.
	// +optional
	LatestVersion string `json:"latestVersion,omitempty" protobuf:"bytes,3,opt,name=latestVersion"`
	// Versions is the number of the Operator's OperatorVersions.
	// +optional
	Versions int32 `json:"versions,omitempty" protobuf:"varint,4,opt,name=versions"`
	// Conditions are Ready, Stalled and RepositoryReachable (the repository responds and has the
	// chart).
	// +optional
	// +k8s:eachVal=+k8s:opaqueType
	// +listType=map
	// +listMapKey=type
	// +patchMergeKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,5,rep,name=conditions"`
	// ChangedBy is the authenticated name of the user who created the object or last changed its
	// spec. The server sets it.
	// +optional
	ChangedBy string `json:"changedBy,omitempty" protobuf:"bytes,6,opt,name=changedBy"`
}

// Phase is a one-word summary of the conditions.
// +enum
type Phase string

const (
	// PhasePending means that the controller waits for something that does not exist yet.
	PhasePending Phase = "Pending"
	// PhaseReady means that the state matches the spec.
	PhaseReady Phase = "Ready"
	// PhaseAwaitingApproval means that the decision of a user is pending.
	PhaseAwaitingApproval Phase = "AwaitingApproval"
	// PhaseError means that a user must act. The conditions contain the cause.
	PhaseError Phase = "Error"
)
