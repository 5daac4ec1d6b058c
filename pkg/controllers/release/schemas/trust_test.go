// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

const controllerUser = "system:serviceaccount:roadstead-system:roadstead-controller"

func TestFlawOf(t *testing.T) {
	chart := Chart{Version: "op-1.0.0", UID: "uid", Controller: controllerUser, Digest: "sha256:a"}
	for _, test := range []struct {
		name   string
		change func(*Summary)
		want   Flaw
	}{
		{"evidence", func(*Summary) {}, FlawNone},
		{"created by a user who forged the owner reference", func(s *Summary) { s.CreatedBy = "mallory" }, FlawCreator},
		{"created by an unknown user", func(s *Summary) { s.CreatedBy = "" }, FlawCreator},
		{"another definition", func(s *Summary) { s.Digest = "sha256:b" }, FlawDigest},
		{"not judged yet", func(s *Summary) { s.Observed, s.Digest = false, "" }, FlawNone},
		{"another version in spec", func(s *Summary) { s.OperatorVersion = "op-2.0.0" }, FlawVersion},
		{"without an owner", func(s *Summary) { s.Owner, s.OwnerName = "", "" }, FlawOwner},
		{"owned by another version", func(s *Summary) { s.Owner, s.OwnerName = "other", "op-2.0.0" }, FlawOwner},
		{"owned by a deleted version of the name", func(s *Summary) { s.Owner = "older" }, FlawStale},
		{"being deleted", func(s *Summary) { s.Deleting = true }, FlawDeleting},
	} {
		one := &Summary{CreatedBy: controllerUser, OperatorVersion: "op-1.0.0", Owner: "uid", OwnerName: "op-1.0.0",
			Observed: true, Digest: "sha256:a"}
		test.change(one)
		assert.Equal(t, test.want, chart.FlawOf(one), test.name)
	}
	assert.Equal(t, FlawCreator, Chart{Version: "v"}.FlawOf(&Summary{OperatorVersion: "v"}),
		"a controller that does not know its user trusts nothing")
}

func TestAccepted(t *testing.T) {
	version := &v1alpha1.OperatorVersion{}
	assert.False(t, MayRollOut(version))
	for status, want := range map[metav1.ConditionStatus]bool{metav1.ConditionTrue: true, metav1.ConditionFalse: false,
		metav1.ConditionUnknown: false} {
		version.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCRDsCompatible, Status: status}}
		assert.Equal(t, want, MayRollOut(version), status)
	}
}

func TestOrigin(t *testing.T) {
	for want, member := range map[Origin]sets.Member{
		OriginCRDs: {Origin: sets.CRDsFolder}, OriginTemplate: {Origin: sets.Template}, OriginKept: {Origin: sets.Template, Kept: true}, "": {},
	} {
		assert.Equal(t, want, OriginOf(member))
	}
	kind, origin := inside([]byte(`{"metadata":{"annotations":{"roadstead.dev/chart-origin":"crds"}},"spec":{"names":{"kind":"Widget"}}}`))
	assert.Equal(t, "Widget crds", kind+" "+string(origin))
	kind, origin = inside([]byte("no JSON"))
	assert.Empty(t, kind+string(origin))
}
