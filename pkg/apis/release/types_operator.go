// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Operator is an operator that is installed by a Helm chart: the source of the chart, its
// installation, and the policy for breaking changes of its CustomResourceDefinitions.
type Operator struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   OperatorSpec
	Status OperatorStatus
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OperatorList is a list of Operators.
type OperatorList struct {
	metav1.TypeMeta
	metav1.ListMeta

	Items []Operator
}

// OperatorSpec is the desired state of an Operator.
type OperatorSpec struct {
	Chart               OperatorChart
	ReleaseName         string
	Namespace           string
	Values              *runtime.RawExtension
	ValuesFrom          []ValuesSource
	EnvironmentValues   map[string]runtime.RawExtension
	CRDPolicy           CRDPolicy
	VersionHistoryLimit *int32
}

// OperatorChart is the source of a Helm chart.
type OperatorChart struct {
	Repository           string
	Name                 string
	CredentialsSecretRef *SecretReference
	Discover             string
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
	SecretRef *SecretKeyReference
}

// CRDPolicy is the policy for changes of CustomResourceDefinitions.
type CRDPolicy struct {
	Breaking BreakingPolicy
}

// BreakingPolicy is the policy for breaking changes.
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
	ObservedGeneration int64
	Phase              Phase
	LatestVersion      string
	Versions           int32
	Conditions         []metav1.Condition
	ChangedBy          string
}

// Phase is a one-word summary of the conditions.
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
