// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

// marked are all passwords that the tests have set. Each contains a string that occurs nowhere
// else.
var marked struct {
	sync.Mutex
	all []string
}

// password returns a new password that is searched for at the end.
func password() string {
	marked.Lock()
	defer marked.Unlock()
	text := fmt.Sprintf("qXz7-given-Pw-%04d-Kj9v", len(marked.all))
	marked.all = append(marked.all, text)
	return text
}

// markers are the common parts of all passwords, as text and in their possible encodings.
var markers = []string{"qXz7-given-Pw", "cVh6Ny1naXZlbi1Qd", "FYejctZ2l2ZW4tUH", "xWHo3LWdpdmVuLVB3"}

func requireHidden(t *testing.T, what string, text []byte) {
	t.Helper()
	for _, marker := range markers {
		if at := bytes.Index(text, []byte(marker)); at >= 0 {
			require.FailNow(t, "a password is shown", "%s: …%s…", what, text[max(0, at-400):min(len(text), at+100)])
		}
	}
}

// request sends a request with the given configuration and returns the code and the body, which is
// searched for passwords.
func request(t *testing.T, config *rest.Config, method, path, contentType, accept, body string) (int, []byte) {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), method, config.Host+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", accept)
	response, err := client.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	var headers bytes.Buffer
	require.NoError(t, response.Header.Write(&headers))
	requireHidden(t, method+" "+path, append(headers.Bytes(), answer...))
	return response.StatusCode, answer
}

const (
	asJSON       = "application/json"
	jsonPatch    = "application/json-patch+json"
	mergePatch   = "application/merge-patch+json"
	applyPatch   = "application/apply-patch+yaml"
	asProtobuf   = "application/vnd.kubernetes.protobuf"
	asTable      = "application/json;as=Table;v=v1;g=meta.k8s.io"
	wholeTable   = "includeObject=Object"
	onlyMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
)

func (tm *team) path(rest string) string {
	return "/apis/takaro.roadstead.dev/v1alpha1/namespaces/" + tm.Namespace + "/users" + rest
}

// userJSON returns a User that waits for a Domain, so that only the test changes it, with a
// finalizer of the test.
func userJSON(name, secret string) string {
	return fmt.Sprintf(`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"User","metadata":{"name":%q,"finalizers":["test.example/hold"]},
		"spec":{"email":"%s@example.com","domainRef":{"name":"nowhere"},"password":%q}}`, name, name, secret)
}

func TestNoAnswerShowsAPassword(t *testing.T) {
	tm := newTeam(t)
	secret := password()
	do := func(want int, method, rest, contentType, accept, body string) []byte {
		t.Helper()
		code, answer := request(t, tm.Config, method, tm.path(rest), contentType, accept, body)
		require.Equal(t, want, code, "%s %s: %s", method, rest, answer)
		return answer
	}
	for _, accept := range []string{asJSON, asProtobuf, asTable, "application/yaml", "application/cbor, application/json;q=0.5"} {
		do(http.StatusCreated, http.MethodPost, "?dryRun=All", asJSON, accept, userJSON("hidden", secret))
	}
	do(http.StatusCreated, http.MethodPost, "?fieldManager=maker", asJSON, asJSON, userJSON("hidden", secret))
	for _, accept := range []string{asJSON, asProtobuf, asTable, onlyMetadata, "application/yaml"} {
		do(http.StatusOK, http.MethodGet, "/hidden?"+wholeTable, asJSON, accept, "")
		list := strings.Replace(accept, "PartialObjectMetadata;", "PartialObjectMetadataList;", 1)
		do(http.StatusOK, http.MethodGet, "?"+wholeTable, asJSON, list, "")
		do(http.StatusOK, http.MethodGet, "?resourceVersion=0&"+wholeTable, asJSON, list, "")
	}
	code, _ := request(t, env.Cluster.AdminConfig(), http.MethodGet, tm.path("/hidden/status"), asJSON, asJSON, "")
	require.Equal(t, http.StatusOK, code)

	t.Run("patches", func(t *testing.T) {
		rest, marker := "/hidden", password()
		do(http.StatusOK, http.MethodPatch, rest, mergePatch, asJSON, `{"spec":{"password":"`+secret+`"}}`)
		do(http.StatusOK, http.MethodPatch, rest, jsonPatch, asJSON, `[{"op":"add","path":"/spec/password","value":"`+secret+`"}]`)
		do(http.StatusOK, http.MethodPatch, rest+"?fieldManager=ssa&force=true", applyPatch, asJSON, strings.Replace(userJSON("hidden", secret),
			`,"finalizers":["test.example/hold"]`, "", 1))
		// there is no value to copy
		do(http.StatusOK, http.MethodPatch, rest, jsonPatch, asJSON, `[{"op":"copy","from":"/spec/password","path":"/metadata/labels"}]`)
		do(http.StatusUnprocessableEntity, http.MethodPatch, rest, jsonPatch, asJSON,
			`[{"op":"move","from":"/spec/password","path":"/spec/name"}]`)
		right := do(http.StatusUnprocessableEntity, http.MethodPatch, rest, jsonPatch, asJSON, `[{"op":"test","path":"/spec/password","value":"`+
			secret+`"}]`)
		wrong := do(http.StatusUnprocessableEntity, http.MethodPatch, rest, jsonPatch, asJSON, `[{"op":"test","path":"/spec/password","value":"`+
			marker+`"}]`)
		assert.Equal(t, string(right), string(wrong), "a test does not tell a right guess from a wrong one")
		for _, body := range []string{`{"spec":{"roles":"text"}}`, `{"spec":{"password":{"a":1}}}`, `{"spec":{"dashboardUser":"text"}}`} {
			code, answer := request(t, tm.Config, http.MethodPatch, tm.path(rest), mergePatch, asJSON, body)
			assert.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, code, "%s", answer)
		}
		do(http.StatusUnprocessableEntity, http.MethodPatch, rest, mergePatch, asJSON, `{"spec":{"password":"`+secret+
			strings.Repeat("x", 50)+`"}}`)
		do(http.StatusUnprocessableEntity, http.MethodPatch, rest, mergePatch, asJSON, `{"spec":{"password":"`+secret+
			`","passwordSecretRef":{"name":"x"}}}`)
		do(http.StatusUnprocessableEntity, http.MethodPatch, rest, mergePatch, asJSON, `{"spec":{"password":""}}`)
	})
	t.Run("updates", func(t *testing.T) {
		var object map[string]any
		require.NoError(t, json.Unmarshal(do(http.StatusOK, http.MethodGet, "/hidden", asJSON, asJSON, ""), &object))
		body, err := json.Marshal(object)
		require.NoError(t, err)
		do(http.StatusOK, http.MethodPut, "/hidden", asJSON, asJSON, string(body))
		object["spec"].(map[string]any)["roles"] = "text"
		body, err = json.Marshal(object)
		require.NoError(t, err)
		code, _ := request(t, tm.Config, http.MethodPut, tm.path("/hidden"), asJSON, asJSON, string(body))
		assert.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, code)
	})
	assert.Equal(t, secret, tm.givenPassword("hidden"), "after all that it is still what was given")
	user := tm.user("hidden")
	fields, err := json.Marshal(user.ManagedFields)
	require.NoError(t, err)
	assert.Contains(t, string(fields), "f:password", "who set it is known")

	t.Run("deletion", func(t *testing.T) {
		do(http.StatusOK, http.MethodDelete, "/hidden?dryRun=All", asJSON, asJSON, "")
		do(http.StatusOK, http.MethodDelete, "/hidden", asJSON, asJSON, "")
		do(http.StatusOK, http.MethodPatch, "/hidden", mergePatch, asJSON, `{"metadata":{"finalizers":null}}`)
		tm.await("it is gone", func() error {
			code, _ := request(t, tm.Config, http.MethodGet, tm.path("/hidden"), asJSON, asJSON, "")
			return framework.Unless(code == http.StatusNotFound, "%d", code)
		})
		for _, name := range []string{"hidden-1", "hidden-2"} {
			do(http.StatusCreated, http.MethodPost, "", asJSON, asJSON, userJSON(name, password()))
		}
		do(http.StatusOK, http.MethodDelete, "", asJSON, asJSON, "")
		for _, name := range []string{"hidden-1", "hidden-2"} {
			do(http.StatusOK, http.MethodPatch, "/"+name, jsonPatch, asJSON, `[{"op":"remove","path":"/metadata/finalizers"}]`)
		}
	})
}

// TestClientSideApply verifies that the annotation of client-side apply contains the manifest
// without the password, and that a second apply changes nothing.
func TestClientSideApply(t *testing.T) {
	tm := newTeam(t)
	secret := password()
	manifest := userManifest("applied", "nowhere", "applied@example.com", "password: "+secret)
	requireHidden(t, "kubectl apply", []byte(tm.apply(manifest)))
	tm.awaitUser("applied", "Ready", "False DomainNotFound")
	before := tm.user("applied")
	applied := before.Annotations["kubectl.kubernetes.io/last-applied-configuration"]
	assert.Contains(t, applied, "applied@example.com")
	requireHidden(t, "the annotation", []byte(applied))
	requireHidden(t, "kubectl apply", []byte(tm.apply(manifest)))
	assert.Equal(t, before.Generation, tm.user("applied").Generation, "nothing changed")
	for _, output := range []string{"yaml", "json", "wide", "jsonpath={.spec.password}"} {
		requireHidden(t, "kubectl get -o "+output, []byte(tm.kubectl("", "get", usersResource, "applied", "-o", output, "--show-managed-fields")))
	}
	requireHidden(t, "kubectl describe", []byte(tm.kubectl("", "describe", usersResource, "applied")))
	out, problems, _ := env.Cluster.KubectlAs(tm.Kubeconfig).WithStdin(strings.NewReader(strings.Replace(manifest, "applied@", "other@",
		1))).Run(t.Context(), "apply", "-f", "-")
	requireHidden(t, "a refused apply", []byte(out+problems))
	tm.apply(userManifest("applied", "nowhere", "applied@example.com"))
	assert.Equal(t, secret, tm.givenPassword("applied"), "leaving it out keeps it")
	tm.kubectl("", "patch", usersResource, "applied", "--type=merge", "-p", `{"spec":{"passwordSecretRef":{"name":"absent"}}}`)
	assert.Empty(t, tm.givenPassword("applied"), "naming another source drops it")
}

// TestListIsComplete verifies that a list of Users contains all objects with the required fields.
func TestListIsComplete(t *testing.T) {
	tm := newTeam(t)
	for n := range 3 {
		code, _ := request(t, tm.Config, http.MethodPost, tm.path(""), asJSON, asJSON, strings.Replace(userJSON(fmt.Sprintf("listed-%d", n),
			password()), `"test.example/hold"`, "", 1))
		require.Equal(t, http.StatusCreated, code)
	}
	list, err := tm.Users().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 3)
	for _, user := range list.Items {
		assert.Nil(t, user.Spec.Password)
		assert.NotEmpty(t, user.Spec.Email, "the rest is there")
	}
}
