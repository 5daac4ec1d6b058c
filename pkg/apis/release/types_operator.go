// SPDX-License-Identifier: Apache-2.0

package release

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Operator is an operator that is installed by a Helm chart: where the chart comes from, how it is installed, and what a
// breaking change of its CustomResourceDefinitions needs.
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

// OperatorChart says where a Helm chart comes from.
type OperatorChart struct {
	Repository           string
	Name                 string
	CredentialsSecretRef *SecretReference
	Discover             string
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
	SecretRef *SecretKeyReference
}

// CRDPolicy says what a breaking change of a CustomResourceDefinition needs.
type CRDPolicy struct {
	Breaking BreakingPolicy
}

// BreakingPolicy says what a breaking change needs.
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
	ObservedGeneration int64
	Phase              Phase
	LatestVersion      string
	Versions           int32
	Conditions         []metav1.Condition
	ChangedBy          string
}

// Phase is one word for people, derived from the conditions.
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
