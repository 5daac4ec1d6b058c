// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"

	"roadstead.dev/roadstead/test/framework"
)

// TestNoWebhookSeesAPassword verifies that webhooks of the cluster that mutate Users never see a
// password, and that the password is not lost.
func TestNoWebhookSeesAPassword(t *testing.T) {
	tm := newTeam(t)
	hooks := startWebhooks(t, tm.Namespace)
	tm.await("the webhooks are asked", func() error {
		code, answer := request(t, tm.Config, http.MethodPost, tm.path("?dryRun=All"), asJSON, asJSON, userJSON("probe", password()))
		require.Equal(t, http.StatusCreated, code, "%s", answer)
		return framework.Unless(len(hooks.of(mutates, "probe")) > 0 && len(hooks.of(validates, "probe")) > 0, "not yet")
	})
	do := func(method, rest, contentType, body string) {
		t.Helper()
		code, answer := request(t, tm.Config, method, tm.path(rest), contentType, asJSON, body)
		require.Less(t, code, 300, "%s", answer)
	}
	// holds requires that the password is stored, regardless of the changes of the webhook to other
	// fields.
	holds := func(name, secret string) {
		t.Helper()
		assert.Equal(t, secret, tm.givenPassword(name))
		user := tm.user(name)
		assert.Equal(t, "here", user.Labels["test.example/was"], "the webhook has changed it")
		assert.False(t, *user.Spec.DashboardUser)
	}

	first, second, third := password(), password(), password()
	do(http.MethodPost, "", asJSON, userJSON("posted", first))
	holds("posted", first)
	do(http.MethodPatch, "/posted", mergePatch, `{"spec":{"roles":["Admin"]}}`)
	holds("posted", first)
	do(http.MethodPatch, "/posted", mergePatch, `{"spec":{"password":"`+second+`"}}`)
	holds("posted", second)
	do(http.MethodPatch, "/posted", jsonPatch, `[{"op":"add","path":"/spec/password","value":"`+first+`"}]`)
	holds("posted", first)
	do(http.MethodPatch, "/posted?fieldManager=ssa&force=true", applyPatch, strings.Replace(userJSON("posted", third),
		`,"finalizers":["test.example/hold"]`, "", 1))
	holds("posted", third)
	tm.put("posted", func(object map[string]any) { object["spec"].(map[string]any)["roles"] = []string{"Moderator"} })
	holds("posted", third)
	tm.put("posted", func(object map[string]any) { object["spec"].(map[string]any)["password"] = second })
	holds("posted", second)

	// Client-side apply would store the entire manifest in its annotation.
	tm.apply(userManifest("applied", "nowhere", "applied@example.com", "password: "+first))
	holds("applied", first)
	tm.apply(userManifest("applied", "nowhere", "applied@example.com", "password: "+second))
	holds("applied", second)
	tm.apply(userManifest("applied", "nowhere", "applied@example.com"))
	holds("applied", second)

	do(http.MethodDelete, "/posted?dryRun=All", asJSON, "")
	do(http.MethodDelete, "/posted", asJSON, "")
	do(http.MethodPatch, "/posted", mergePatch, `{"metadata":{"finalizers":null}}`)
	do(http.MethodDelete, "", asJSON, "")

	for _, path := range []string{mutates, validates} {
		for _, name := range []string{"probe", "posted", "applied"} {
			operations := map[admissionv1.Operation]bool{}
			for _, seen := range hooks.of(path, name) {
				what := fmt.Sprintf("%s %s of %s/%s at %s", seen.request.Operation, seen.request.SubResource, tm.Namespace, name, path)
				requireHidden(t, what, []byte(seen.body))
				if seen.request.SubResource == "credentials" {
					continue // the request of the controller that is answered with the password
				}
				operations[seen.request.Operation] = true
				switch seen.request.Operation {
				case admissionv1.Create:
					requireUser(t, what, seen.request.Object.Raw)
				case admissionv1.Update:
					requireUser(t, what, seen.request.Object.Raw)
					requireUser(t, what, seen.request.OldObject.Raw)
				case admissionv1.Delete:
					requireUser(t, what, seen.request.OldObject.Raw)
				}
			}
			want := map[admissionv1.Operation]bool{admissionv1.Create: true}
			if name != "probe" {
				want[admissionv1.Update], want[admissionv1.Delete] = true, true
			}
			assert.Equal(t, want, operations, "%s at %s", name, path)
		}
	}
}

// requireUser requires that a complete User was sent to a webhook, so that the search for passwords
// is meaningful.
func requireUser(t *testing.T, what string, raw []byte) {
	t.Helper()
	var user struct {
		Kind string
		Spec map[string]any
	}
	require.NoError(t, json.Unmarshal(raw, &user), what)
	require.Equal(t, "User", user.Kind, what)
	require.NotEmpty(t, user.Spec["email"], what)
	require.NotContains(t, user.Spec, "password", what)
}

// put reads a User, changes it and writes it with an update, as clients do that do not use patches.
func (tm *team) put(name string, change func(map[string]any)) {
	tm.T.Helper()
	tm.await("a put without conflict", func() error {
		code, answer := request(tm.T, tm.Config, http.MethodGet, tm.path("/"+name), asJSON, asJSON, "")
		require.Equal(tm.T, http.StatusOK, code, "%s", answer)
		object := map[string]any{}
		require.NoError(tm.T, json.Unmarshal(answer, &object))
		change(object)
		body, err := json.Marshal(object)
		require.NoError(tm.T, err)
		code, answer = request(tm.T, tm.Config, http.MethodPut, tm.path("/"+name), asJSON, asJSON, string(body))
		require.Contains(tm.T, []int{http.StatusOK, http.StatusConflict}, code, "%s", answer)
		return framework.Unless(code == http.StatusOK, "%s", answer)
	})
}
