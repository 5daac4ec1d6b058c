// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// valid returns an Operator in which every field is set.
func valid() *release.Operator {
	return &release.Operator{
		ObjectMeta: metav1.ObjectMeta{Name: "cert-manager"},
		Spec: release.OperatorSpec{
			Chart: release.OperatorChart{
				Repository: "https://charts.example.com", Name: "cert-manager", Discover: ">=1.14",
				CredentialsSecretRef: &release.SecretReference{Namespace: "charts", Name: "secret"},
			},
			ReleaseName: "cert-manager", Namespace: "cert-manager", Values: &runtime.RawExtension{Raw: []byte(`{"a":1}`)},
			ValuesFrom:        []release.ValuesSource{{SecretRef: &release.SecretKeyReference{Namespace: "charts", Name: "secret", Key: "key"}}},
			EnvironmentValues: map[string]runtime.RawExtension{"Production": {Raw: []byte(`{}`)}},
			CRDPolicy:         release.CRDPolicy{Breaking: release.BreakingDeny}, VersionHistoryLimit: ptr.To[int32](20),
		},
		Status: release.OperatorStatus{
			Phase: release.PhaseReady, LatestVersion: "v1.15.0", Versions: 3, ChangedBy: "olga",
			Conditions: boundstest.Conditions(),
		},
	}
}

// TestEverythingOperatorHoldsIsBounded checks the bounds of all fields: one object must not use up
// the memory of the replicas.
func TestEverythingOperatorHoldsIsBounded(t *testing.T) {
	boundstest.RequireBounded(t, newKind(boundstest.Scheme(install.Install)), valid)
}
