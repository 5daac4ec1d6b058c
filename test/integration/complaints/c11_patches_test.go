// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"roadstead.dev/roadstead/test/framework"
)

// Content types of patches.
const (
	jsonPatch      = "application/json-patch+json"
	mergePatch     = "application/merge-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	applyPatch     = "application/apply-patch+yaml"
)

// patch sends a patch and requires success.
func (k kind) patch(t *testing.T, u *framework.User, target, contentType, body string) *unstructured.Unstructured {
	t.Helper()
	answer := framework.Do(t, u.Config, framework.Request{Method: http.MethodPatch, Path: k.path(u.Namespace) + "/" + target,
		ContentType: contentType, Body: body})
	require.Less(t, answer.Code, 300, "%s of %s: %s", contentType, target, answer.Body)
	object := &unstructured.Unstructured{}
	require.NoError(t, object.UnmarshalJSON(answer.Body))
	return object
}

// TestC11EveryKindOfPatch verifies that every patch type is supported
// (kubernetes/kubernetes#77519).
func TestC11EveryKindOfPatch(t *testing.T) {
	u := keeper(t)
	eachKind(t, func(t *testing.T, k kind) {
		k.create(t, u, "patched")
		changed := `{"spec":` + k.changed + `}`
		for contentType, body := range map[string]string{
			jsonPatch:      `[{"op":"add","path":"/metadata/labels","value":{"by":"json"}}]`,
			mergePatch:     `{"metadata":{"labels":{"by":"merge"}}}`,
			strategicPatch: `{"metadata":{"labels":{"by":"strategic"}}}`,
			applyPatch:     k.body(t, "patched", map[string]string{"metadata": `{"name":"patched","labels":{"by":"apply"}}`}),
		} {
			target := "patched?fieldManager=someone"
			if contentType == applyPatch {
				target += "&force=true"
			}
			want := parsed(t, body)
			patched := k.patch(t, u, target, contentType, body)
			if list, ok := want.([]any); ok {
				want = map[string]any{"metadata": map[string]any{"labels": list[0].(map[string]any)["value"]}}
			}
			require.Equal(t, want.(map[string]any)["metadata"].(map[string]any)["labels"].(map[string]any)["by"],
				patched.GetLabels()["by"], contentType)
			require.EqualValues(t, 1, patched.GetGeneration())
		}
		patched := k.patch(t, u, "patched", strategicPatch, changed)
		require.EqualValues(t, 2, patched.GetGeneration())
		require.Equal(t, patched.GetResourceVersion(), k.patch(t, u, "patched", mergePatch, changed).GetResourceVersion(),
			"a patch that changes nothing writes nothing")
		// Server-side apply creates an object that does not exist.
		made := k.patch(t, u, "applied?fieldManager=someone", applyPatch, string(asJSON(t, k.object(t, "applied"))))
		require.EqualValues(t, 1, made.GetGeneration())
	})
}

// TestC11TwoAppliersShareAList verifies that each applier owns its own items of a list with keys
// (kubernetes/kubernetes#89264).
func TestC11TwoAppliersShareAList(t *testing.T) {
	u := keeper(t)
	eachKind(t, func(t *testing.T, k kind) {
		k.create(t, u, "shared")
		apply := func(manager, status string) map[string]string {
			object := k.patch(t, u, "shared/status?fieldManager="+manager, applyPatch, k.body(t, "shared", map[string]string{"status": status}))
			found := map[string]string{}
			list, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
			require.NoError(t, err)
			for _, one := range list {
				found[asMap(one)["type"].(string)] = asMap(one)["reason"].(string)
			}
			return found
		}
		require.Equal(t, map[string]string{"Ready": "One"}, apply("one", condition("Ready", "One")))
		require.Equal(t, map[string]string{"Ready": "One", "Synced": "Two"}, apply("two", condition("Synced", "Two")))
		require.Equal(t, map[string]string{"Ready": "Again", "Synced": "Two"}, apply("one", condition("Ready", "Again")))
		require.Equal(t, map[string]string{"Synced": "Two"}, apply("one", `{}`), "what its applier drops goes")
		answer := framework.Do(t, u.Config, framework.Request{
			Method: http.MethodPatch, Path: k.path(u.Namespace) + "/shared/status?fieldManager=one", ContentType: applyPatch,
			Body: k.body(t, "shared", map[string]string{"status": condition("Synced", "Mine")}),
		})
		require.Contains(t, answer.Status(t, http.StatusConflict).Message, `conflict with "two"`)
	})
}

// TestC11AppliedStatusIsNotOwned verifies that a status applied through the main resource is
// neither written nor owned. Otherwise later appliers of the status would get conflicts with a
// manager that does not write it.
func TestC11AppliedStatusIsNotOwned(t *testing.T) {
	u := keeper(t)
	eachKind(t, func(t *testing.T, k kind) {
		k.create(t, u, "owned")
		body := k.body(t, "owned", map[string]string{"status": k.status, "spec": k.changed})
		applied := k.patch(t, u, "owned?fieldManager=applier&force=true", applyPatch, body)
		owned := owns(t, applied, "applier", metav1.ManagedFieldsOperationApply)
		require.Contains(t, owned, "f:spec")
		require.NotContains(t, owned, "f:status")
	})
}

// owns returns the fields that a manager owns through the main resource.
func owns(t *testing.T, object *unstructured.Unstructured, manager string, operation metav1.ManagedFieldsOperationType) map[string]any {
	t.Helper()
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == operation && entry.Subresource == "" {
			var fields map[string]any
			require.NoError(t, json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields))
			return fields
		}
	}
	require.FailNow(t, "no such manager", "%s in %+v", manager, object.GetManagedFields())
	return nil
}

func asJSON(t *testing.T, object *unstructured.Unstructured) []byte {
	t.Helper()
	text, err := object.MarshalJSON()
	require.NoError(t, err)
	return text
}
