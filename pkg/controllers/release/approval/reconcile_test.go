// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func requireCondition(t *testing.T, conditions []metav1.Condition, kind string, status metav1.ConditionStatus, reason, says string) {
	t.Helper()
	found := meta.FindStatusCondition(conditions, kind)
	require.NotNil(t, found, kind)
	require.Equal(t, status, found.Status, "%s: %s", kind, found.Message)
	require.Equal(t, reason, found.Reason, kind)
	require.Contains(t, found.Message, says, kind)
	require.EqualValues(t, 1, found.ObservedGeneration)
}

func TestWhatWaitsIsAskedOnce(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
	w.settle(w.store)
	approval := w.approval()
	assert.Equal(t, "crdschema-0123456789ab-breakingcrdchange", approval.Name)
	assert.Equal(t, v1alpha1.ApprovalSubject{Kind: "CRDSchema", Name: "new", UID: "0123456789ab-new", Digest: digest(t, 100, 10)},
		approval.Spec.Subject)
	assert.Equal(t, expiry, approval.Spec.ExpiresAfter.Duration)
	requireCondition(t, approval.Status.Conditions, "Ready", metav1.ConditionFalse, "AwaitingApproval",
		"waits for 1 of 1 people who have the verb approve")
	requireCondition(t, approval.Status.Conditions, "Finished", metav1.ConditionFalse, "AwaitingApproval", "2026-01-02T04:04:05Z")
	schema := w.schema("new")
	assert.Equal(t, v1alpha1.PhaseAwaitingApproval, schema.Status.Phase)
	requireCondition(t, schema.Status.Conditions, "Ready", metav1.ConditionFalse, "AwaitingApproval", approval.Name)
	assert.Contains(t, w.told(), "Normal ApprovalRequested Approval "+approval.Name)
	w.settle(controllertest.ReadOnly(t, w.store))
	assert.Empty(t, w.told())
}

func TestWhatWasDecidedIsCarried(t *testing.T) {
	for outcome, c := range map[v1alpha1.ApprovalOutcome]struct {
		state  v1alpha1.ApprovalState
		phase  v1alpha1.Phase
		ready  metav1.ConditionStatus
		events string
	}{
		v1alpha1.OutcomeApproved: {v1alpha1.ApprovalApproved, v1alpha1.PhaseReady, metav1.ConditionTrue, "Normal Approved approved by bob: seen"},
		v1alpha1.OutcomeRejected: {v1alpha1.ApprovalRejected, v1alpha1.PhaseError, metav1.ConditionFalse,
			"Warning Rejected rejected by bob: seen"},
	} {
		w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
		w.settle(w.store)
		w.told()
		w.decides(outcome, "seen")
		w.settle(w.store)
		schema, approval := w.schema("new"), w.approval()
		assert.Equal(t, c.state, schema.Status.Approval)
		assert.Equal(t, c.phase, schema.Status.Phase)
		requireCondition(t, schema.Status.Conditions, "Ready", c.ready, string(outcome), "by bob: seen")
		requireCondition(t, approval.Status.Conditions, "Ready", c.ready, string(outcome), "by bob: seen")
		requireCondition(t, approval.Status.Conditions, "Finished", metav1.ConditionTrue, string(outcome), "by bob: seen")
		assert.Contains(t, w.told(), c.events)
		w.settle(controllertest.ReadOnly(t, w.store))
		assert.Empty(t, w.told())

		w.clock.SetTime(start.Add(retention - time.Minute))
		w.settle(controllertest.ReadOnly(t, w.store))
		w.clock.SetTime(start.Add(retention))
		w.settle(w.store)
		assert.Empty(t, w.names(&v1alpha1.ApprovalList{}), "kept long enough")
		assert.Equal(t, c.state, w.schema("new").Status.Approval)
	}
}

func TestNobodyDecides(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
	w.settle(w.store)
	w.told()
	approvals, _ := w.controllers(w.store)
	result, err := approvals.Reconcile(t.Context(), request(w.approval().Name))
	require.NoError(t, err)
	assert.Equal(t, expiry, result.RequeueAfter)
	w.clock.SetTime(start.Add(400 * expiry))
	w.clocksDisagree = true
	w.settle(controllertest.ReadOnly(t, w.store))
	assert.Equal(t, v1alpha1.OutcomePending, w.approval().Status.Decision, "a clock that jumps ends nothing")
	w.clocksDisagree = false
	w.clock.SetTime(start.Add(expiry))
	w.settle(w.store)
	assert.Equal(t, v1alpha1.OutcomeExpired, w.approval().Status.Decision)
	assert.True(t, w.approval().Status.DecidedAt.Time.Equal(start.Add(expiry)))
	requireCondition(t, w.approval().Status.Conditions, "Finished", metav1.ConditionTrue, "Expired",
		"nobody decided until 2026-01-02T04:04:05Z")
	assert.Equal(t, v1alpha1.ApprovalRejected, w.schema("new").Status.Approval)
	requireCondition(t, w.schema("new").Status.Conditions, "Ready", metav1.ConditionFalse, "Expired", "nobody decided until")
	assert.Contains(t, w.told(), "Warning Expired")
	w.settle(controllertest.ReadOnly(t, w.store))
}

func TestWhatChangesIsVoided(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world)
		says   string
		there  bool
	}{
		"the subject is gone": {func(w *world) { require.NoError(t, w.store.Delete(t.Context(), w.schema("new"))) },
			"CRDSchema new is gone", false},
		"the subject was made anew": {func(w *world) {
			require.NoError(t, w.store.Delete(t.Context(), w.schema("new")))
			anew := schemaOf("new", "another", 10)
			require.NoError(t, w.store.Create(t.Context(), anew))
		}, "deleted and made anew", false},
		"its baseline is gone": {func(w *world) { require.NoError(t, w.store.Delete(t.Context(), w.schema("old"))) },
			"CRDSchema old, which it was compared with, is gone", true},
		"its baseline has another definition": {func(w *world) {
			require.NoError(t, w.store.Delete(t.Context(), w.schema("old")))
			require.NoError(t, w.store.Create(t.Context(), schemaOf("old", "another", 99)))
		}, "made anew with another definition", true},
		"another change": {func(w *world) {
			schema := w.schema("new")
			schema.Status.Against.Change = "sha256:other"
			require.NoError(t, w.store.Status().Update(t.Context(), schema))
		}, "another change", true},
	} {
		w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
		w.settle(w.store)
		w.told()
		c.change(w)
		w.settle(w.store)
		assert.Equal(t, v1alpha1.OutcomeVoided, w.approval().Status.Decision, name)
		requireCondition(t, w.approval().Status.Conditions, "Finished", metav1.ConditionTrue, "Voided", c.says)
		assert.Contains(t, w.told(), "Warning Voided", name)
		if c.there {
			assert.Equal(t, v1alpha1.ApprovalRejected, w.schema("new").Status.Approval, name)
			requireCondition(t, w.schema("new").Status.Conditions, "Ready", metav1.ConditionFalse, "Voided", c.says)
		}
		w.settle(controllertest.ReadOnly(t, w.store))
	}
}

func TestTheSameBaselineAgainVoidsNothing(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
	w.settle(w.store)
	require.NoError(t, w.store.Delete(t.Context(), w.schema("old")))
	require.NoError(t, w.store.Create(t.Context(), schemaOf("old", "another", 100)))
	w.settle(controllertest.ReadOnly(t, w.store))
}

func TestAnApprovalOfSomethingElseIsNotCarried(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
	w.settle(w.store)
	w.decides(v1alpha1.OutcomeApproved, "")
	require.NoError(t, w.store.Delete(t.Context(), w.schema("old")))
	w.settle(w.store)
	assert.Equal(t, v1alpha1.ApprovalRejected, w.schema("new").Status.Approval)
	requireCondition(t, w.schema("new").Status.Conditions, "Ready", metav1.ConditionFalse, "Voided", "it was approved, but CRDSchema old")
}

func TestWhoMayNotAskIsTold(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
	refusing := interceptor.NewClient(w.store, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object,
		...client.CreateOption) error {
		return apierrors.NewForbidden(v1alpha1.Resource("approvals"), "x", errors.New("not you"))
	}})
	_, waiting := w.controllers(refusing)
	_, err := waiting.Reconcile(t.Context(), request("new"))
	assert.Error(t, err)
	assert.Contains(t, w.told(), "Warning ApprovalNotMade the API server does not let the controller make Approvals; set --controller-user")
}

func TestWhatDependsOnACRDSchema(t *testing.T) {
	w := newWorld(t, schemaOf("old", "uid-of-old", 100), waiting(t))
	w.settle(w.store)
	approvals, _ := w.controllers(w.store)
	assert.Empty(t, approvals.dependents(t.Context(), w.schema("old")), "it was not looked at yet")
	assert.Len(t, approvals.dependents(t.Context(), w.schema("new")), 1)
	_, err := approvals.Reconcile(t.Context(), request(w.approval().Name))
	require.NoError(t, err)
	assert.Equal(t, w.approval().Name, approvals.dependents(t.Context(), w.schema("old"))[0].Name)
	require.NoError(t, w.store.Delete(t.Context(), w.approval()))
	_, err = approvals.Reconcile(t.Context(), request("crdschema-0123456789ab-breakingcrdchange"))
	require.NoError(t, err)
	assert.Empty(t, approvals.dependents(t.Context(), w.schema("old")))
}
