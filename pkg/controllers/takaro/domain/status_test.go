// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// allReasons parses the reasons from the API's source, so that the test covers all of them.
func allReasons(t *testing.T) []string {
	t.Helper()
	var reasons []string
	for _, name := range []string{"conditions.go", "conditions_ownership.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), "../../../apis/takaro/v1alpha1/"+name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Reason") {
				reason, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				reasons = append(reasons, reason)
			}
			return true
		})
	}
	require.Greater(t, len(reasons), 15)
	return reasons
}

func at(generation int64) *v1alpha1.Domain {
	return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: "arena", Generation: generation}}
}

func statusOf(domain *v1alpha1.Domain, kind string) string {
	found := meta.FindStatusCondition(domain.Status.Conditions, kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}

func TestConcludeEveryReason(t *testing.T) {
	for _, kind := range []string{v1alpha1.ConditionSynced, v1alpha1.ConditionEndpointReady} {
		for _, reason := range allReasons(t) {
			domain := at(3)
			conclude(domain, &base.Blocked{Condition: kind, Reason: reason, Message: "why"})
			assert.Equal(t, int64(3), domain.Status.ObservedGeneration)
			status := "False "
			if undecided[reason] {
				status = "Unknown "
			}
			assert.Equal(t, status+reason, statusOf(domain, v1alpha1.ConditionReady))
			assert.Equal(t, status+reason, statusOf(domain, kind))
			switch {
			case kind == v1alpha1.ConditionEndpointReady:
				assert.Equal(t, "Unknown "+reason, statusOf(domain, v1alpha1.ConditionSynced))
			case answered[reason]:
				assert.Equal(t, "True EndpointAnswers", statusOf(domain, v1alpha1.ConditionEndpointReady))
			default:
				assert.Equal(t, "absent", statusOf(domain, v1alpha1.ConditionEndpointReady), "nothing was learned of it")
			}
			for _, condition := range domain.Status.Conditions {
				assert.Equal(t, int64(3), condition.ObservedGeneration, condition.Type)
				assert.NotEmpty(t, condition.Message)
			}
			assert.NotEqual(t, v1alpha1.DomainReady, domain.Status.Phase)
			assert.Equal(t, failed[reason], domain.Status.Phase == v1alpha1.DomainError)
		}
	}
}

func TestConcludeReady(t *testing.T) {
	domain := at(2)
	conclude(domain, &base.Blocked{Condition: v1alpha1.ConditionEndpointReady, Reason: v1alpha1.ReasonAdminTokenRefused, Message: "no"})
	domain.Generation = 4
	setRootCredentials(domain, true)
	conclude(domain, nil)
	assert.Len(t, domain.Status.Conditions, 4)
	for _, condition := range domain.Status.Conditions {
		assert.Equal(t, metav1.ConditionTrue, condition.Status, condition.Type)
		assert.Equal(t, int64(4), condition.ObservedGeneration, condition.Type)
	}
	assert.Equal(t, v1alpha1.DomainReady, domain.Status.Phase)
	before := domain.DeepCopy()
	conclude(domain, nil)
	assert.Equal(t, before, domain, "the same outcome changes nothing, not even a time")
}

func TestPhase(t *testing.T) {
	ready := func(status metav1.ConditionStatus, reason string) []metav1.Condition {
		return []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: status, Reason: reason}}
	}
	with := func(state ownership.State, conditions []metav1.Condition) v1alpha1.DomainStatus {
		ledger := []ownership.Record{{Kind: recordKind, Key: "k", ID: "d", State: state}}
		return v1alpha1.DomainStatus{Ownership: &ownership.Status{Records: ledger}, Conditions: conditions}
	}
	cases := []struct {
		name   string
		status v1alpha1.DomainStatus
		want   v1alpha1.DomainPhase
	}{
		{"new", v1alpha1.DomainStatus{}, v1alpha1.DomainPending},
		{"waiting for a Secret", v1alpha1.DomainStatus{Conditions: ready("False", v1alpha1.ReasonSecretNotFound)}, v1alpha1.DomainPending},
		{"begun", with(ownership.Intended, ready("Unknown", v1alpha1.ReasonReconciling)), v1alpha1.DomainCreating},
		{"begun, Takaro down", with(ownership.Intended, ready("False", v1alpha1.ReasonEndpointUnavailable)), v1alpha1.DomainCreating},
		{"there", with(ownership.Held, ready("True", v1alpha1.ReasonAsSpecified)), v1alpha1.DomainReady},
		{"there, Takaro down", with(ownership.Held, ready("False", v1alpha1.ReasonEndpointUnavailable)), v1alpha1.DomainPending},
		{"vanished, a new one not begun", with(ownership.Lost, ready("Unknown", v1alpha1.ReasonReconciling)), v1alpha1.DomainPending},
		{"taken", v1alpha1.DomainStatus{Conditions: ready("False", v1alpha1.ReasonExternalReferenceTaken)}, v1alpha1.DomainError},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, phaseOf(&v1alpha1.Domain{Status: c.status}), c.name)
		deleting := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Now()}}, Status: c.status}
		assert.Equal(t, v1alpha1.DomainDeleting, phaseOf(deleting), c.name)
	}
}

func TestBegin(t *testing.T) {
	domain := at(5)
	conclude(domain, nil)
	domain.Generation = 6
	begin(domain)
	assert.Equal(t, "Unknown Reconciling", statusOf(domain, v1alpha1.ConditionReady))
	assert.Equal(t, int64(6), domain.Status.ObservedGeneration)
}

func TestRootCredentials(t *testing.T) {
	domain := at(1)
	for _, c := range []struct {
		stored, adopt bool
		want          string
	}{
		{true, false, "True RootCredentialsStored"}, {true, true, "True RootCredentialsStored"},
		{false, false, "False RootPasswordLost"}, {false, true, "False RootPasswordUnknown"},
	} {
		domain.Spec.Adopt = c.adopt
		setRootCredentials(domain, c.stored)
		assert.Equal(t, c.want, statusOf(domain, v1alpha1.ConditionRootCredentials))
	}
}

// Nothing is stored while a controller that has just started verifies the endpoint.
func TestVerifyingKeepsReady(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	before := w.Object()
	verifying := &base.Blocked{
		Condition: v1alpha1.ConditionEndpointReady, Reason: v1alpha1.ReasonEndpointVerifying, Message: "m",
		RequeueAfter: time.Second, Steady: true,
	}
	result, err := controller.report(t.Context(), &attempt{domain: before.DeepCopy()}, before, verifying)
	require.NoError(t, err)
	assert.Equal(t, time.Second, result.RequeueAfter)
	assert.Equal(t, before, w.Object())
}

// The reasons of decisions are published unchanged or renamed.
func TestReasonsOfDecisionsArePublished(t *testing.T) {
	all := allReasons(t)
	for _, reason := range []string{
		ownership.ReasonSearchIncomplete, ownership.ReasonReferenceChanged, ownership.ReasonVanished, ownership.ReasonTaken,
		ownership.ReasonInterruptedCreate, ownership.ReasonCreateUnclear, ownership.ReasonNothingToAdopt, ownership.ReasonLedgerNotKept,
		ownership.ReasonDeletionHeld, ownership.ReasonEndpointVerifying,
	} {
		got := classify("", &outside.StoppedError{Decision: ownership.Decision{Reason: reason, Message: "m"}})
		assert.Contains(t, all, got.Reason)
	}
}
