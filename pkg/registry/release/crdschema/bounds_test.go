// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// full returns a CRDSchema in which every field is set.
func full(t *testing.T) *release.CRDSchema {
	return &release.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "op-1.0.0.widgets.example.com"},
		Spec: release.CRDSchemaSpec{
			OperatorVersionRef: &release.LocalObjectReference{Name: "op-1.0.0"}, AgainstRef: &release.LocalObjectReference{Name: "before"},
			Definition: widgets(t, 5),
		},
		Status: release.CRDSchemaStatus{
			Phase: release.PhaseReady, CreatedBy: "ann", RequestedBy: "vera", CRD: "widgets.example.com", Digest: "sha256:1", TotalFindings: 1,
			Against:       &release.CRDSchemaBaseline{Name: "before", UID: "1", Digest: "sha256:2", Change: "sha256:3"},
			Compatibility: "B", Approval: release.ApprovalApproved,
			Findings: []release.Finding{{CRD: "widgets.example.com", Code: "CRD-101", Verdict: "B!", Version: "v1", Path: ".spec", Old: "1",
				New: "2", Message: "text", Hint: "text"}},
			Conditions: []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Approved", Message: "text", LastTransitionTime: metav1.Now()}},
		},
	}
}

// TestEverythingCRDSchemaHoldsIsBounded checks the bounds of all fields: one object must not fill
// the store.
func TestEverythingCRDSchemaHoldsIsBounded(t *testing.T) {
	kind := newKind(newScheme())
	kind.Judge = nil // needs the stores
	boundstest.RequireBounded(t, kind, func() *release.CRDSchema { return full(t) })
}

func TestColumnsOfACRDSchemaThatWasNotComparedYet(t *testing.T) {
	for _, column := range columns {
		require.Empty(t, column.Cell(&release.CRDSchema{}), column.Name)
	}
}
