// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// valid returns an OperatorVersion in which every field is set.
func valid() *release.OperatorVersion {
	return &release.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "cert-manager-v1.15.0"},
		Spec: release.OperatorVersionSpec{
			OperatorRef: release.LocalObjectReference{Name: "cert-manager"}, Version: "v1.15.0", ChartVersion: "1.15.0",
			MigrationGuide: "https://example.com/upgrade", CRDSource: release.CRDSourceChart,
		},
		Status: release.OperatorVersionStatus{
			Phase: release.PhaseReady, CreatedBy: "ann", RequestedBy: "vera", ChartDigest: "sha256:1",
			CRDs: []release.OperatorVersionCRD{{Name: "a.example.com", Digest: "sha256:2", Compatibility: "S"}, {Name: "b.example.com",
				Compatibility: "B!"}, {Name: "c.example.com"}},
			Approval: release.ApprovalApproved,
			Findings: []release.Finding{{CRD: "b.example.com", Code: "CRD-101", Verdict: "B!", Version: "v1", Path: ".spec", Old: "1", New: "2",
				Message: "text", Hint: "text"}},
			Conditions: boundstest.Conditions(),
		},
	}
}

// TestEverythingOperatorVersionHoldsIsBounded checks the bounds of all fields: one object must not
// use up the memory of the replicas.
func TestEverythingOperatorVersionHoldsIsBounded(t *testing.T) {
	boundstest.RequireBounded(t, newKind(boundstest.Scheme(install.Install), &lookup.Objects{}, controller), valid)
}
