// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

func TestABreakingChangeThatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	name := w.version("1.0.0")
	tries := 0
	w.compare = func(schema *v1alpha1.CRDSchema) error {
		if schema.Status.CRD == "widgets.example.com" {
			tries++
			return breaking(schema.Name, "Forbidden: [CRD-101 B!] the field is gone. Keep it.", "Forbidden: [CRD-204 B] the minimum rose.")
		}
		return nil
	}
	r := w.controller(w.Store)
	w.settle(r, name)
	assert.Equal(t, "False BreakingRefused", w.condition(name, v1alpha1.ConditionCRDsCompatible))
	assert.Equal(t, "False BreakingRefused", w.condition(name, v1alpha1.ConditionReady))
	assert.Equal(t, "True Fetched", w.condition(name, v1alpha1.ConditionChartFetched))
	status := w.get(name).Status
	resource := w.get(name).ResourceVersion
	assert.Equal(t, v1alpha1.PhaseError, status.Phase)
	assert.Equal(t, int32(2), status.TotalFindings)
	assert.Equal(t, v1alpha1.Finding{CRD: "widgets.example.com", Code: "CRD-101", Verdict: "B!", Version: "v1", Path: "spec.size",
		Message: "the field is gone. Keep it."}, status.Findings[0])
	assert.Equal(t, []string{name + ".gadgets.example.com"}, w.Names(&v1alpha1.CRDSchemaList{}), "the others are made")

	for range 3 {
		w.Clock.Step(time.Hour)
		w.settle(r, name)
	}
	assert.Equal(t, 1, tries, "what is refused is not tried again")
	assert.Equal(t, status, w.get(name).Status)
	w.settle(w.controller(w.Store), name)
	assert.Equal(t, 2, tries, "once more by a new controller, which does not know it")
	assert.Equal(t, status, w.get(name).Status)
	assert.Equal(t, resource, w.get(name).ResourceVersion, "nothing is written for it")

	w.compare = func(schema *v1alpha1.CRDSchema) error {
		schema.Status.Compatibility = "B!"
		return nil
	}
	w.EditOperator(func(o *v1alpha1.Operator) { o.Spec.CRDPolicy.Breaking = v1alpha1.BreakingWarn })
	w.settle(r, name)
	assert.Equal(t, "True BreakingAllowed", w.condition(name, v1alpha1.ConditionCRDsCompatible))
	assert.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady))
}

func TestOtherRefusals(t *testing.T) {
	for _, test := range []struct {
		name, reason string
		err          error
		retried      bool
	}{
		{"invalid", v1alpha1.ReasonSchemaRefused, breaking("x", "Too long: may not be more than 3 MiB"), false},
		{"too large", v1alpha1.ReasonSchemaRefused, apierrors.NewRequestEntityTooLargeError("12 MiB"), false},
		{"a policy of the cluster", v1alpha1.ReasonSchemaRefused, apierrors.NewForbidden(v1alpha1.Resource("crdschemas"), "x",
			fmt.Errorf("by policy")), true},
		{"no API server", v1alpha1.ReasonRequestFailed, apierrors.NewServiceUnavailable("starting"), true},
	} {
		w := newWorld(t)
		w.Serve("1.0.0", two())
		name := w.version("1.0.0")
		w.compare = func(*v1alpha1.CRDSchema) error { return test.err }
		r := w.controller(w.Store)
		_, err := r.Reconcile(t.Context(), request(name))
		assert.Equal(t, test.retried, err != nil, test.name)
		assert.Equal(t, "False "+test.reason, w.condition(name, v1alpha1.ConditionReady), test.name)
		w.compare = func(*v1alpha1.CRDSchema) error { return nil }
		_, err = r.Reconcile(t.Context(), request(name))
		require.NoError(t, err)
		assert.Equal(t, test.retried, w.condition(name, v1alpha1.ConditionReady) == "True AsSpecified", test.name)
	}
}

func TestABreakingChangeWaitsForAnApproval(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	name := w.version("1.0.0")
	w.compare = func(schema *v1alpha1.CRDSchema) error {
		schema.Status.Approval = v1alpha1.ApprovalNotRequired
		if schema.Status.CRD == "widgets.example.com" {
			schema.Status.Approval, schema.Status.Compatibility = v1alpha1.ApprovalPending, "B"
			schema.Status.Findings = []v1alpha1.Finding{{CRD: schema.Status.CRD, Code: "CRD-101", Verdict: "B"}}
			schema.Status.TotalFindings = 70
		}
		return nil
	}
	r := w.controller(w.Store)
	w.settle(r, name)
	assert.Equal(t, "False AwaitingApproval", w.condition(name, v1alpha1.ConditionReady))
	status := w.get(name).Status
	assert.Equal(t, v1alpha1.PhaseAwaitingApproval, status.Phase)
	assert.Equal(t, v1alpha1.ApprovalPending, status.Approval)
	assert.Equal(t, int32(70), status.TotalFindings)
	assert.Len(t, status.Findings, 1)

	for _, step := range []struct {
		state  v1alpha1.ApprovalState
		reason string
		ready  string
	}{
		{v1alpha1.ApprovalRejected, v1alpha1.ReasonExpired, "False Expired"},
		{v1alpha1.ApprovalRejected, v1alpha1.ReasonRejected, "False Rejected"},
		{v1alpha1.ApprovalApproved, v1alpha1.ReasonApproved, "True AsSpecified"},
	} {
		schema := &v1alpha1.CRDSchema{}
		require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Name: name + ".widgets.example.com"}, schema))
		schema.Status.Approval = step.state
		schema.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Reason: step.reason, Status: "True"}}
		require.NoError(t, w.Store.Status().Update(t.Context(), schema))
		w.settle(r, name)
		assert.Equal(t, step.ready, w.condition(name, v1alpha1.ConditionReady))
		assert.Equal(t, step.state, w.get(name).Status.Approval)
	}
	assert.Equal(t, "True Approved", w.condition(name, v1alpha1.ConditionCRDsCompatible))
}

func TestCRDSchemasOfOthersUnderOurNames(t *testing.T) {
	w := newWorld(t)
	w.Serve("1.0.0", two())
	schema := func(owner types.UID) *v1alpha1.CRDSchema {
		isController := true
		made := &v1alpha1.CRDSchema{
			ObjectMeta: metav1.ObjectMeta{Name: "widgets-1.0.0.widgets.example.com"},
			Spec:       v1alpha1.CRDSchemaSpec{OperatorVersionRef: &v1alpha1.LocalObjectReference{Name: "widgets-1.0.0"}},
		}
		if owner != "" {
			made.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "OperatorVersion",
				Name: "widgets-1.0.0", UID: owner, Controller: &isController}}
		}
		return made
	}
	for _, test := range []struct {
		owner types.UID
		ready string
	}{{"", "False SchemaNameTaken"}, {"an older one", "Unknown Reconciling"}} {
		w.Add(schema(test.owner))
		name := "widgets-1.0.0"
		if test.owner == "" {
			w.version("1.0.0")
		}
		r := w.controller(w.Store)
		_, err := r.Reconcile(t.Context(), request(name))
		require.NoError(t, err)
		assert.Equal(t, test.ready, w.condition(name, v1alpha1.ConditionReady))
		require.NoError(t, w.Store.Delete(t.Context(), schema("")))
	}
	w.settle(w.controller(w.Store), "widgets-1.0.0")
	assert.Equal(t, "True AsSpecified", w.condition("widgets-1.0.0", v1alpha1.ConditionReady))
}
