// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func versionOf(number string) *v1alpha1.OperatorVersion {
	version := &v1alpha1.OperatorVersion{ObjectMeta: metav1.ObjectMeta{Name: "op-" + number}}
	version.Spec.OperatorRef.Name, version.Spec.Version, version.Spec.CRDSource = "op", number, v1alpha1.CRDSourceManual
	return version
}

// ofChart returns a version whose CRDs are rendered from its chart, and were accepted.
func ofChart(number string) *v1alpha1.OperatorVersion {
	version := versionOf(number)
	version.Spec.CRDSource = v1alpha1.CRDSourceChart
	return having(version, v1alpha1.ReasonNothingToCompare)
}

// having adds the CRD to the status of a version.
func having(version *v1alpha1.OperatorVersion, reason string) *v1alpha1.OperatorVersion {
	version.Status.CRDs = []v1alpha1.OperatorVersionCRD{{Name: crd, Digest: "sha256:recorded"}}
	set(&version.Status.Conditions, 1, v1alpha1.ConditionCRDsCompatible, reason != v1alpha1.ReasonSchemaNameTaken, reason, "")
	return version
}

// by sets the creator of a CRDSchema.
func by(user string, schema *v1alpha1.CRDSchema) *v1alpha1.CRDSchema {
	schema.Status.CreatedBy = user
	return schema
}

// early returns a CRDSchema that was created before its OperatorVersion.
func early(number string, longest int) *v1alpha1.CRDSchema {
	schema := schemaOf("op-"+number+"."+crd, "0123456789ab-early", longest)
	schema.Spec.OperatorVersionRef = &v1alpha1.LocalObjectReference{Name: "op-" + number}
	set(&schema.Status.Conditions, 1, v1alpha1.ConditionReady, false, v1alpha1.ReasonOperatorVersionNotFound, "not there")
	schema.Status.Phase = v1alpha1.PhasePending
	return schema
}

// judged returns a CRDSchema of an earlier version.
func judged(number string, longest int, approval v1alpha1.ApprovalState) *v1alpha1.CRDSchema {
	schema := early(number, longest)
	schema.UID = "uid-of-" + schema.UID
	schema.Status.Approval, schema.Status.Conditions = approval, nil
	set(&schema.Status.Conditions, 1, v1alpha1.ConditionReady, true, v1alpha1.ReasonNothingToCompare, "first")
	return schema
}

func operatorOf(policy v1alpha1.BreakingPolicy) *v1alpha1.Operator {
	operator := &v1alpha1.Operator{ObjectMeta: metav1.ObjectMeta{Name: "op"}}
	operator.Spec.CRDPolicy.Breaking = policy
	return operator
}

func TestWhatCameBeforeItsVersionIsJudged(t *testing.T) {
	first, second := versionOf("v1.0.0"), versionOf("v2.0.0")
	for name, c := range map[string]struct {
		objects  []client.Object
		longest  int
		approval v1alpha1.ApprovalState
		phase    v1alpha1.Phase
		reason   string
		against  string
	}{
		"the version is still not there": {nil, 10, "", v1alpha1.PhasePending, "OperatorVersionNotFound", ""},
		"nothing before it": {[]client.Object{second}, 10, v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, "NothingToCompare",
			""},
		"a later version": {[]client.Object{second, versionOf("v3.0.0"), judged("v3.0.0", 100, v1alpha1.ApprovalNotRequired)}, 10,
			v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, "NothingToCompare", ""},
		"compatible": {[]client.Object{first, second, judged("v1.0.0", 5, v1alpha1.ApprovalNotRequired)}, 10,
			v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, "Compatible", "op-v1.0.0." + crd},
		"breaking": {[]client.Object{first, second, judged("v1.0.0", 100, v1alpha1.ApprovalNotRequired)}, 10,
			v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, "AwaitingApproval", "op-v1.0.0." + crd},
		"breaking, under Warn": {[]client.Object{first, second, judged("v1.0.0", 100, v1alpha1.ApprovalNotRequired), operatorOf("Warn")}, 10,
			v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, "BreakingAllowed", "op-v1.0.0." + crd},
		"breaking, under Deny": {[]client.Object{first, second, judged("v1.0.0", 100, v1alpha1.ApprovalNotRequired), operatorOf("Deny")}, 10,
			v1alpha1.ApprovalRejected, v1alpha1.PhaseError, "BreakingRefused", "op-v1.0.0." + crd},
		"what was rejected is passed over": {[]client.Object{first, versionOf("v1.5.0"), second, judged("v1.0.0", 100,
			v1alpha1.ApprovalNotRequired), judged("v1.5.0", 10, v1alpha1.ApprovalRejected)},
			10, v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, "AwaitingApproval", "op-v1.0.0." + crd},
		"the CRDs come from a chart": {[]client.Object{ofChart("v2.0.0")}, 10, v1alpha1.ApprovalRejected,
			v1alpha1.PhaseError, "SchemaNameTaken", ""},
		"compatible with the chart of the version before": {[]client.Object{ofChart("v1.0.0"), second, by(controllerUser, judged("v1.0.0", 5,
			v1alpha1.ApprovalNotRequired))},
			10, v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, "Compatible", "op-v1.0.0." + crd},
		"the evidence of the version before is forged": {[]client.Object{ofChart("v1.0.0"), second,
			by("mallory", judged("v1.0.0", 5, v1alpha1.ApprovalNotRequired))},
			10, v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, "AwaitingApproval", ""},
		"the evidence of the version before is missing": {[]client.Object{having(versionOf("v1.0.0"), "Compatible"), second},
			10, v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, "AwaitingApproval", ""},
		"it is missing, under Deny": {[]client.Object{having(versionOf("v1.0.0"), "Compatible"), second, operatorOf("Deny")},
			10, v1alpha1.ApprovalRejected, v1alpha1.PhaseError, "BreakingRefused", ""},
		"it is missing, and an older one is compatible": {[]client.Object{first, having(versionOf("v1.5.0"), "Approved"), second,
			judged("v1.0.0", 5, v1alpha1.ApprovalNotRequired)},
			10, v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, "AwaitingApproval", "op-v1.0.0." + crd},
		"the version before never had evidence": {[]client.Object{versionOf("v1.0.0"), second}, 10, v1alpha1.ApprovalNotRequired,
			v1alpha1.PhaseReady, "NothingToCompare", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(c.objects, early("v2.0.0", c.longest))...)
			w.settle(w.store)
			schema := w.schema("op-v2.0.0." + crd)
			assert.Equal(t, c.approval, schema.Status.Approval)
			assert.Equal(t, c.phase, schema.Status.Phase)
			ready := schema.Status.Conditions[0]
			assert.Equal(t, c.reason, ready.Reason, ready.Message)
			assert.Equal(t, c.phase == v1alpha1.PhaseReady, ready.Status == metav1.ConditionTrue)
			waits := c.approval == v1alpha1.ApprovalPending
			assert.Equal(t, waits, schema.Annotations[v1alpha1.RequestApprovalAnnotation] == lateReason)
			assert.Equal(t, waits, len(w.names(&v1alpha1.ApprovalList{})) == 1)
			if c.against == "" {
				assert.Nil(t, schema.Status.Against)
				if waits {
					assert.Equal(t, "BaselineLost", schema.Status.Findings[0].Code)
					assert.Equal(t, schema.Status.Digest, w.approval().Spec.Subject.Digest, "the Approval is bound to the definition")
				}
			} else {
				assert.Equal(t, c.against, schema.Status.Against.Name)
				assert.NotEmpty(t, schema.Status.Compatibility)
				assert.NotEmpty(t, schema.Status.Findings)
				assert.Contains(t, schema.Status.Against.Change, "sha256:")
			}
			assert.Equal(t, c.reason == "OperatorVersionNotFound", w.told() == "")
			w.settle(controllertest.ReadOnly(t, w.store))
		})
	}
}

// A user who chooses the baseline of a comparison must not be able to avoid an approval.
func TestAgainstRef_OtherThanTheBaselineNeedsAnApproval(t *testing.T) {
	for _, test := range []struct {
		against  string
		approval v1alpha1.ApprovalState
	}{{"op-v1.0.0." + crd, v1alpha1.ApprovalNotRequired}, {"chosen", v1alpha1.ApprovalPending}} {
		schema := early("v2.0.0", 10)
		schema.Spec.AgainstRef = &v1alpha1.LocalObjectReference{Name: test.against}
		w := newWorld(t, versionOf("v1.0.0"), versionOf("v2.0.0"), judged("v1.0.0", 10, v1alpha1.ApprovalNotRequired),
			schemaOf("chosen", "chosen", 10), schema)
		w.settle(w.store)
		found := w.schema(schema.Name)
		assert.Equal(t, test.approval, found.Status.Approval, test.against)
		assert.Equal(t, "op-v1.0.0."+crd, found.Status.Against.Name)
		if test.approval == v1alpha1.ApprovalPending {
			assert.Equal(t, "BaselineChosen", found.Status.Findings[0].Code)
			assert.Contains(t, w.approval().Spec.Summary, "spec.againstRef names CRDSchema chosen")
		}
	}
}

func TestWhoseVersionCameLaterIsFound(t *testing.T) {
	at := func(object client.Object, seconds int) client.Object {
		object.SetCreationTimestamp(metav1.NewTime(start.Add(time.Duration(seconds) * time.Second)))
		return object
	}
	w := newWorld(t, at(versionOf("v1.0.0"), 5), at(versionOf("v2.0.0"), 0), at(early("v1.0.0", 10), 1), at(judged("v2.0.0", 10, ""), 3))
	_, waiting := w.controllers(w.store)
	found := func(number string) (byVersion, bySchema int) {
		version := &v1alpha1.OperatorVersion{}
		require.NoError(t, w.store.Get(t.Context(), client.ObjectKey{Name: "op-" + number}, version))
		return len(waiting.earlierThan(t.Context(), version)), len(waiting.ifEarlier(t.Context(), w.schema("op-"+number+"."+crd)))
	}
	byVersion, bySchema := found("v1.0.0")
	assert.Equal(t, [2]int{1, 1}, [2]int{byVersion, bySchema})
	byVersion, bySchema = found("v2.0.0")
	assert.Equal(t, [2]int{0, 0}, [2]int{byVersion, bySchema}, "it was judged when it was made")
}

// TestKilledAtAnyCall reconciles a CRDSchema completely, with controllers that are killed at every
// call.
func TestKilledAtAnyCall(t *testing.T) {
	var w *world
	controllertest.KillEvery(t, 10, func() client.WithWatch {
		w = newWorld(t, versionOf("v1.0.0"), versionOf("v2.0.0"), judged("v1.0.0", 100, v1alpha1.ApprovalNotRequired), early("v2.0.0", 10))
		return w.store
	}, func(api client.WithWatch) {
		w.settle(api)
		if w.approval().Status.Decision == v1alpha1.OutcomePending {
			w.decides(v1alpha1.OutcomeApproved, "seen")
		}
		w.settle(api)
	}, func(client.WithWatch) {
		schema := w.schema("op-v2.0.0." + crd)
		require.Equal(t, v1alpha1.ApprovalApproved, schema.Status.Approval)
		require.Equal(t, lateReason, schema.Annotations[v1alpha1.RequestApprovalAnnotation])
		requireCondition(t, schema.Status.Conditions, "Ready", metav1.ConditionTrue, "Approved", "by bob: seen")
		requireCondition(t, w.approval().Status.Conditions, "Finished", metav1.ConditionTrue, "Approved", "by bob: seen")
	})
}
