// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/test/framework/served"
)

// health is the health reported by kstatus and Flux, and by Argo CD.
type health struct{ flux, argo string }

var (
	progressing = health{"InProgress", "Progressing"}
	healthy     = health{"Current", "Healthy"}
	degraded    = health{"Failed", "Degraded"}
	suspended   = health{"InProgress", "Suspended"}
	ending      = health{"Terminating", "Progressing"}
)

// state is an object in one state, and the health that tools must report.
type state struct {
	name   string
	object *unstructured.Unstructured
	want   health
}

// withStatus returns the kinds that have a status and whose health is determined by no other rule.
func withStatus(t *testing.T) []served.Resource {
	t.Helper()
	resources, err := served.Resources()
	require.NoError(t, err)
	var found []served.Resource
	for _, resource := range resources {
		for _, sub := range resource.Subresources {
			if sub.Name == "status" {
				found = append(found, resource)
			}
		}
	}
	require.GreaterOrEqual(t, len(found), 8)
	return found
}

// born returns an object of a kind as the server stores it when it is created.
func born(t *testing.T, resource served.Resource) *unstructured.Unstructured {
	t.Helper()
	object := resource.Storage.New()
	storage, ok := resource.Storage.(*generic.REST)
	if ok {
		storage.CreateStrategy.PrepareForCreate(request.WithNamespace(t.Context(), "team"), object)
	}
	published, err := apiserver.Scheme.ConvertToVersion(object, resource.GroupVersion)
	require.NoError(t, err)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(published)
	require.NoError(t, err)
	found := &unstructured.Unstructured{Object: fields}
	found.SetName("new")
	return found
}

// written returns an object of generation 2 with the conditions that a controller writes.
func written(kind schema.GroupVersionKind, observed int64, status metav1.ConditionStatus, reason string) *unstructured.Unstructured {
	var all []metav1.Condition
	mustAct := conditions.OneOf(map[string]bool{"SecretKeyMissing": true})
	for _, condition := range []string{"Synced", conditions.Ready} {
		conditions.Set(&all, metav1.Condition{Type: condition, Status: status, Reason: reason, Message: "What to do.",
			ObservedGeneration: observed}, mustAct)
	}
	var list []any
	for i := range all {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&all[i])
		if err != nil {
			panic(err) // a condition has no field that cannot be converted
		}
		list = append(list, fields)
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "an-object", "generation": int64(2)},
		"status":   map[string]any{"observedGeneration": observed, "conditions": list},
	}}
	object.SetGroupVersionKind(kind)
	return object
}

// states returns one object for each possible state of an object of a kind.
func states(t *testing.T, resource served.Resource) []state {
	t.Helper()
	kind := resource.Kind
	deleted := written(kind, 2, metav1.ConditionFalse, "DeletionBlocked")
	now := metav1.Now()
	deleted.SetDeletionTimestamp(&now)
	all := []state{
		{"ready", written(kind, 2, metav1.ConditionTrue, "AsSpecified"), healthy},
		{"being carried out", written(kind, 2, metav1.ConditionUnknown, "Reconciling"), progressing},
		{"waits for another object", written(kind, 2, metav1.ConditionFalse, "DomainNotReady"), progressing},
		{"a user must act", written(kind, 2, metav1.ConditionFalse, "SecretKeyMissing"), degraded},
		{"awaits an approval", written(kind, 2, metav1.ConditionFalse, "AwaitingApproval"), suspended},
		{"was ready before the spec changed", written(kind, 1, metav1.ConditionTrue, "AsSpecified"), progressing},
		{"failed before the spec changed", written(kind, 1, metav1.ConditionFalse, "SecretKeyMissing"), progressing},
		{"is being deleted", deleted, ending},
	}
	if _, ok := resource.Storage.(*generic.REST); ok {
		all = append(all, state{"new", born(t, resource), progressing})
	}
	return all
}
