// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"roadstead.dev/roadstead/test/framework"
)

const forger = "fieldManager=forger"

// TestC19StatusIsNotForged verifies that no verb on the main resource writes the status.
func TestC19StatusIsNotForged(t *testing.T) {
	u := keeper(t)
	eachKind(t, func(t *testing.T, k kind) {
		client := k.client(t, u)
		born := k.object(t, "main")
		born.Object["status"] = parsed(t, k.status)
		born, err := client.Create(t.Context(), born, metav1.CreateOptions{})
		require.NoError(t, err)
		requireFirstStatus(t, born.Object["status"])

		born.Object["status"] = parsed(t, condition("Ready", "True"))
		genuine, err := client.UpdateStatus(t.Context(), born, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, withoutZeros(genuine.Object["status"]))

		forged := genuine.DeepCopy()
		forged.Object["status"] = parsed(t, k.status)
		forged, err = client.Update(t.Context(), forged, metav1.UpdateOptions{FieldManager: "forger"})
		require.NoError(t, err)
		require.Equal(t, genuine.Object["status"], forged.Object["status"], "PUT")
		body := k.body(t, "main", map[string]string{"status": k.status})
		for contentType, text := range map[string]string{
			jsonPatch: `[{"op":"replace","path":"/status/conditions","value":[]}]`, mergePatch: body, strategicPatch: body, applyPatch: body,
		} {
			target := "main?" + forger
			if contentType == applyPatch {
				target += "&force=true"
			}
			k.patch(t, u, target, contentType, text)
			after := k.get(t, u, "main")
			require.Equal(t, genuine.Object["status"], after.Object["status"], contentType)
			require.Equal(t, genuine.GetResourceVersion(), after.GetResourceVersion(), "%s wrote the object", contentType)
		}
	})
}

// TestC19SpecIsNotWrittenThroughStatus verifies that a user with rights on the status only can
// write neither spec nor metadata.
func TestC19SpecIsNotWrittenThroughStatus(t *testing.T) {
	u := keeper(t)
	eachKind(t, func(t *testing.T, k kind) {
		born := k.object(t, "sub")
		born.SetLabels(map[string]string{"kept": "yes"})
		born, err := k.client(t, u).Create(t.Context(), born, metav1.CreateOptions{})
		require.NoError(t, err)
		same := func(how string, after *unstructured.Unstructured) {
			t.Helper()
			require.Equal(t, born.Object["spec"], after.Object["spec"], how)
			require.Equal(t, born.GetLabels(), after.GetLabels(), how)
			require.Equal(t, born.GetGeneration(), after.GetGeneration(), how)
			for field, value := range parsed(t, k.status).(map[string]any) {
				require.EqualValues(t, value, after.Object["status"].(map[string]any)[field], "%s: %s", how, field)
			}
		}
		changed := born.DeepCopy()
		changed.SetLabels(nil)
		for field, value := range parsed(t, k.changed).(map[string]any) {
			require.NoError(t, unstructured.SetNestedField(changed.Object, value, "spec", field))
		}
		changed.Object["status"] = parsed(t, k.status)
		changed, err = k.client(t, u).UpdateStatus(t.Context(), changed, metav1.UpdateOptions{})
		require.NoError(t, err)
		same("PUT", changed)
		for _, contentType := range []string{mergePatch, strategicPatch, applyPatch} {
			target := "sub/status?" + forger
			if contentType == applyPatch {
				target += "&force=true"
			}
			same(contentType, k.patch(t, u, target, contentType, k.body(t, "sub", map[string]string{
				"metadata": `{"name":"sub","labels":{"kept":"no"}}`, "spec": k.changed, "status": k.status,
			})))
		}
	})
}

// TestC19GenerationCountsChangesOfTheSpec verifies that only changes of the spec increment the
// generation.
func TestC19GenerationCountsChangesOfTheSpec(t *testing.T) {
	u := keeper(t)
	eachKind(t, func(t *testing.T, k kind) {
		born := k.object(t, "counted")
		born.SetGeneration(7)
		born, err := k.client(t, u).Create(t.Context(), born, metav1.CreateOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 1, born.GetGeneration())
		require.EqualValues(t, 1, k.patch(t, u, "counted", mergePatch, `{"metadata":{"labels":{"a":"b"},"generation":7}}`).GetGeneration(),
			"a label")
		require.EqualValues(t, 1, k.patch(t, u, "counted/status", mergePatch, `{"status":`+k.status+`}`).GetGeneration(), "the status")
		require.EqualValues(t, 2, k.patch(t, u, "counted", mergePatch, `{"metadata":{"generation":7},"spec":`+k.changed+`}`).GetGeneration(),
			"the spec")
		require.EqualValues(t, 2, k.patch(t, u, "counted", mergePatch, `{"spec":`+k.changed+`}`).GetGeneration(), "the same again")
	})
}

// TestC19StatusNeedsARightOfItsOwn verifies that editors of a namespace cannot write the status.
func TestC19StatusNeedsARightOfItsOwn(t *testing.T) {
	u := editor(t)
	eachKind(t, func(t *testing.T, k kind) {
		k.create(t, u, "guarded")
		framework.Do(t, u.Config, framework.Request{
			Method: http.MethodPatch, Path: k.path(u.Namespace) + "/guarded/status", ContentType: mergePatch, Body: `{"status":` + k.status + `}`,
		}).Status(t, http.StatusForbidden)
	})
}

// requireFirstStatus requires the status that the server sets on a new object, without anything
// that the client sent.
func requireFirstStatus(t *testing.T, value any) {
	t.Helper()
	status := withoutZeros(value)
	conditions := status["conditions"].([]any)
	require.Len(t, conditions, 1)
	ready := asMap(conditions[0])
	require.Equal(t, []any{"Ready", "Unknown", "Pending"}, []any{ready["type"], ready["status"], ready["reason"]})
	require.Contains(t, []any{nil, "Pending"}, status["phase"])
	delete(status, "conditions")
	delete(status, "phase")
	require.Empty(t, status, "POST")
}

// withoutZeros drops counts that are zero, which a status always contains.
func withoutZeros(value any) map[string]any {
	left := map[string]any{}
	for field, inner := range asMap(value) {
		if nested, ok := inner.(map[string]any); ok {
			if nested = withoutZeros(nested); len(nested) > 0 {
				left[field] = nested
			}
		} else if inner != nil && inner != int64(0) && inner != "" && inner != false {
			left[field] = inner
		}
	}
	return left
}
