// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// TestEverythingApprovalHoldsIsBounded checks the bounds of all fields: one object must not use up
// the memory of the replicas.
func TestEverythingApprovalHoldsIsBounded(t *testing.T) {
	scheme := boundstest.Scheme(install.Install)
	boundstest.RequireBounded(t, newKind(scheme, clock.RealClock{}), func() *release.Approval {
		at := metav1.NewTime(time.Unix(1, 0))
		return &release.Approval{
			ObjectMeta: metav1.ObjectMeta{Name: "crdschema-12345678-9ab-breakingcrdchange-production"},
			Spec: release.ApprovalSpec{
				Subject: release.ApprovalSubject{Kind: "CRDSchema", Name: "schema", UID: "12345678-9abc", Digest: "sha256:0"},
				Type:    release.ApprovalBreakingCRDChange, Environment: "Production", Levels: 1, RequestedBy: "ann", RequestedAt: at,
				ExpiresAfter: &metav1.Duration{Duration: time.Hour}, Summary: "text", Reason: "text",
			},
			Status: release.ApprovalStatus{
				Decision: release.OutcomeApproved, DecidedAt: &at, ExpiresAt: &at,
				Decisions:  []release.ApprovalRecord{{Level: 1, User: "bob", Decision: release.OutcomeApproved, Reason: "text", Time: at}},
				Conditions: boundstest.Conditions(),
			},
		}
	})
}
