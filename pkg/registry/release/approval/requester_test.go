// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

// chain adds an OperatorVersion and an Operator to the waiting CRDSchema, each of another user.
func (w *world) chain(schema release.CRDSchemaStatus, version release.OperatorVersionStatus, operator release.OperatorStatus) {
	waiting := w.schemas["new"].(*release.CRDSchema)
	waiting.Spec.OperatorVersionRef = &release.LocalObjectReference{Name: "version"}
	waiting.Status.CreatedBy, waiting.Status.RequestedBy = schema.CreatedBy, schema.RequestedBy
	w.versions["version"] = &release.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "version"},
		Spec:       release.OperatorVersionSpec{OperatorRef: release.LocalObjectReference{Name: "operator"}}, Status: version,
	}
	w.operators["operator"] = &release.Operator{ObjectMeta: metav1.ObjectMeta{Name: "operator"}, Status: operator}
}

func TestRequester_IsTakenFromTheStoredCRDSchema(t *testing.T) {
	byController := release.OperatorVersionStatus{CreatedBy: controller}
	for name, c := range map[string]struct {
		schema    release.CRDSchemaStatus
		version   release.OperatorVersionStatus
		operator  release.OperatorStatus
		isDeleted bool
		want      string
		says      string
	}{
		"stamped": {schema: release.CRDSchemaStatus{CreatedBy: controller, RequestedBy: "vera"}, want: "vera"},
		"stamped, the version is deleted": {schema: release.CRDSchemaStatus{CreatedBy: controller, RequestedBy: "vera"}, isDeleted: true,
			want: "vera"},
		"of an earlier release": {schema: release.CRDSchemaStatus{CreatedBy: controller},
			version: release.OperatorVersionStatus{CreatedBy: "vera"}, want: "vera"},
		"discovered by an earlier release": {schema: release.CRDSchemaStatus{CreatedBy: controller}, version: byController,
			operator: release.OperatorStatus{ChangedBy: "olga"}, want: "olga"},
		"unknown": {schema: release.CRDSchemaStatus{CreatedBy: controller}, version: byController,
			says: "change a field in the spec of Operator operator"},
		"unknown, the version is deleted": {schema: release.CRDSchemaStatus{CreatedBy: controller}, isDeleted: true,
			says: "its OperatorVersion or Operator no longer exists: delete the CRDSchema"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.chain(c.schema, c.version, c.operator)
			if c.isDeleted {
				delete(w.versions, "version")
			}
			if c.says == "" {
				assert.Equal(t, c.want, w.ask().Spec.RequestedBy)
				return
			}
			_, err := w.Main.Create(as(t, controller, ""), asking(), nil, &metav1.CreateOptions{})
			assert.True(t, apierrors.IsInvalid(err), "%v", err)
			assert.ErrorContains(t, err, c.says)
		})
	}
}

// Several users may have contributed to a change, in addition to its requester.
func TestApprove_RefusesContributors(t *testing.T) {
	w := newWorld(t)
	w.approvers = map[string]bool{"cora": true, "rita": true, "vera": true, "vito": true, "olga": true, "bob": true}
	w.chain(release.CRDSchemaStatus{CreatedBy: "cora", RequestedBy: "rita"},
		release.OperatorVersionStatus{CreatedBy: "vera", RequestedBy: "vito"}, release.OperatorStatus{ChangedBy: "olga"})
	w.ask()
	for user, says := range map[string]string{
		"rita": "rita requested this change", "cora": "cora created CRDSchema new", "vera": "vera created OperatorVersion version",
		"vito": "vito requested OperatorVersion version", "olga": "olga last changed Operator operator",
	} {
		err := w.say(w.Approve, user, "seen")
		assert.True(t, apierrors.IsForbidden(err), "%s: %v", user, err)
		assert.ErrorContains(t, err, says)
	}
	assert.Equal(t, release.OutcomePending, w.stored().Status.Decision)
	delete(w.operators, "operator")
	require.NoError(t, w.say(w.Approve, "bob", "seen"))
}

func TestApproval_OfADefinitionWithoutABaseline(t *testing.T) {
	w := newWorld(t)
	waiting := w.schemas["new"].(*release.CRDSchema)
	waiting.Status.Against, waiting.Status.Digest = nil, compare.Digest(nil, definition(10))
	require.Equal(t, waiting.Status.Digest, w.ask().Spec.Subject.Digest)
	other := schemaOf(t, "new", definition(9))
	other.Status = waiting.Status
	w.schemas["new"] = other
	assert.ErrorContains(t, w.say(w.Approve, "bob", "seen"), "CRDSchema new is no longer compared with another one, or its CRD changed")
	w.schemas["new"] = waiting
	require.NoError(t, w.say(w.Approve, "bob", "seen"))
}
