// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// DefaultValuesKey is the default Secret key of Helm values.
const DefaultValuesKey = "values.yaml"

// Defaults of the group.
const (
	defaultVersionHistory int32 = 20
	defaultExpiry               = 24 * time.Hour
)

func addDefaultingFuncs(scheme *runtime.Scheme) error {
	return RegisterDefaults(scheme)
}

// SetDefaults_OperatorSpec sets the fields of an Operator that have a fixed default. The strategy
// sets the default of spec.releaseName, which depends on metadata.name.
func SetDefaults_OperatorSpec(spec *OperatorSpec) {
	if spec.Chart.Discover == "" {
		spec.Chart.Discover = DiscoverNone
	}
	for i := range spec.ValuesFrom {
		if ref := spec.ValuesFrom[i].SecretRef; ref != nil && ref.Key == "" {
			ref.Key = DefaultValuesKey
		}
	}
	if spec.CRDPolicy.Breaking == "" {
		spec.CRDPolicy.Breaking = BreakingRequireApproval
	}
	if spec.VersionHistoryLimit == nil {
		limit := defaultVersionHistory
		spec.VersionHistoryLimit = &limit
	}
}

// SetDefaults_OperatorVersionSpec sets the fields of an OperatorVersion that have a default.
func SetDefaults_OperatorVersionSpec(spec *OperatorVersionSpec) {
	if spec.ChartVersion == "" {
		spec.ChartVersion = spec.Version
	}
	if spec.CRDSource == "" {
		spec.CRDSource = CRDSourceChart
	}
}

// SetDefaults_ApprovalSpec sets the fields of an Approval that have a fixed default.
func SetDefaults_ApprovalSpec(spec *ApprovalSpec) {
	if spec.ExpiresAfter == nil {
		spec.ExpiresAfter = &metav1.Duration{Duration: defaultExpiry}
	}
}

// SetDefaults_CompatibilityReviewSpec sets the default policy.
func SetDefaults_CompatibilityReviewSpec(spec *CompatibilityReviewSpec) {
	if spec.Policy == "" {
		spec.Policy = BreakingRequireApproval
	}
}
