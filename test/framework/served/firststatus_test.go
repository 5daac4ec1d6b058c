// SPDX-License-Identifier: Apache-2.0

package served

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// judgedByTheServer lists the kinds whose first status is final, because the server evaluates them
// at create.
var judgedByTheServer = []string{"CRDSchema"}

// TestEveryKindHasAFirstStatus creates an object of each kind with a status. Without a condition,
// kstatus, and with it Helm and Flux, would report the object as ready before a controller has
// processed it.
func TestEveryKindHasAFirstStatus(t *testing.T) {
	resources, err := Resources()
	require.NoError(t, err)
	checked := 0
	for _, resource := range resources {
		withStatus := slices.ContainsFunc(resource.Subresources, func(sub Resource) bool { return sub.Name == "status" })
		if !withStatus || slices.Contains(judgedByTheServer, resource.Kind.Kind) {
			continue
		}
		checked++
		t.Run(resource.Kind.Kind, func(t *testing.T) {
			object := prepared(t, resource)
			conditions, _, err := unstructured.NestedSlice(object, "status", "conditions")
			require.NoError(t, err)
			require.Len(t, conditions, 1)
			ready := conditions[0].(map[string]any)
			assert.Equal(t, "Ready", ready["type"])
			assert.Equal(t, "Unknown", ready["status"])
			assert.Equal(t, "Pending", ready["reason"])
			assert.Contains(t, ready["message"], "has not processed this object yet")
			assert.NotEmpty(t, ready["lastTransitionTime"])
			assert.NotContains(t, ready, "observedGeneration", "no generation was observed")
			assert.NotContains(t, object["status"], "observedGeneration", "no generation was observed")
			if hasPhase(t, resource) {
				assert.Equal(t, "Pending", object["status"].(map[string]any)["phase"])
			}
		})
	}
	assert.GreaterOrEqual(t, checked, 7)
}

// prepared returns a new object as the server would store it. The status sent by the client is
// dropped.
func prepared(t *testing.T, resource Resource) map[string]any {
	t.Helper()
	object := resource.Storage.New()
	accessor, err := meta.Accessor(object)
	require.NoError(t, err)
	accessor.SetName("new")
	accessor.SetNamespace("team")
	resource.Storage.(*generic.REST).CreateStrategy.PrepareForCreate(request.WithNamespace(t.Context(), "team"), object)
	published, err := apiserver.Scheme.ConvertToVersion(object, resource.GroupVersion)
	require.NoError(t, err)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(published)
	require.NoError(t, err)
	return fields
}

// hasPhase reports whether the status of a kind has a phase.
func hasPhase(t *testing.T, resource Resource) bool {
	t.Helper()
	object, err := New(resource.Kind)
	require.NoError(t, err)
	return reflect.ValueOf(object).Elem().FieldByName("Status").FieldByName("Phase").IsValid()
}
