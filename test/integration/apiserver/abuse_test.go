// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// quickly is far longer than a rejection takes and far shorter than an expansion would take.
const quickly = 5 * time.Second

// yamlBomb returns a document of a few hundred bytes that aliases would expand to gigabytes.
func yamlBomb(name string) string {
	text := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for level := byte('b'); level <= 'l'; level++ {
		text += fmt.Sprintf("%c: &%c [%s]\n", level, level, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", level-1), 10), ", "))
	}
	return text + manifest(name)
}

// TestWhatIsMadeToExhaustIsRefusedQuickly verifies that no request body can consume much memory or
// time.
func TestWhatIsMadeToExhaustIsRefusedQuickly(t *testing.T) {
	t.Parallel()
	u := editor(t)
	created(t, u, newDomain("victim"))
	domains := framework.DomainsPath(u.Namespace)
	huge := strings.Repeat("x", 4<<20)
	copying := func(times int) string {
		text := `[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/spec/description","value":"` + huge[:100<<10] + `"}`
		for i := range times {
			text += fmt.Sprintf(`,{"op":"copy","from":"/spec/description","path":"/metadata/annotations/c%d"}`, i)
		}
		return text + "]"
	}
	for name, tc := range map[string]struct {
		method, path, contentType, body string
		code                            int
	}{
		"a body over 3 MiB": {http.MethodPost, domains, "application/json", `{"apiVersion":"` + huge + `"}`,
			http.StatusRequestEntityTooLarge},
		"a patch over 3 MiB": {http.MethodPatch, domains + "/victim", "application/merge-patch+json", `{"spec":{"description":"` + huge +
			`"}}`, http.StatusRequestEntityTooLarge},
		"a status over 3 MiB": {http.MethodPut, domains + "/victim/status", "application/json", `{"apiVersion":"` + huge +
			`"}`, http.StatusForbidden},
		"aliases of YAML": {http.MethodPost, domains, "application/yaml", yamlBomb("bomb"), http.StatusBadRequest},
		"aliases in an apply": {http.MethodPatch, domains + "/bomb?fieldManager=test", "application/apply-patch+yaml",
			yamlBomb("bomb"), http.StatusBadRequest},
		"JSON that is nested deeply": {http.MethodPost, domains, "application/json", strings.Repeat(`{"spec":`, 200_000) + "1" +
			strings.Repeat("}", 200_000), http.StatusBadRequest},
		"YAML that is nested deeply": {http.MethodPost, domains, "application/yaml", "spec: " + strings.Repeat("[",
			200_000), http.StatusBadRequest},
		"too many operations": {http.MethodPatch, domains + "/victim", "application/json-patch+json",
			"[" + strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/kind","value":"Domain"},`, 10_001), ",") + "]",
			http.StatusRequestEntityTooLarge},
		"operations that copy": {http.MethodPatch, domains + "/victim", "application/json-patch+json", copying(40),
			http.StatusUnprocessableEntity},
		"protobuf that is none": {http.MethodPost, domains, "application/vnd.kubernetes.protobuf", "k8s\x00" + strings.Repeat("\xff",
			1<<20), http.StatusBadRequest},
		"many annotations": {http.MethodPatch, domains + "/victim", "application/merge-patch+json", `{"metadata":{"annotations":{"a":"` +
			huge[:300<<10] + `"}}}`, http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			answer := framework.Do(t, u.Config, framework.Request{Method: tc.method, Path: tc.path, ContentType: tc.contentType, Body: tc.body})
			assert.Equal(t, tc.code, answer.Code, "%.500s", answer.Body)
			assert.Less(t, time.Since(begin), quickly)
			assert.Less(t, len(answer.Body), 1<<20, "the answer does not repeat it")
		})
	}
	// With few copies the patch is executed, and validation rejects the result.
	for times, want := range map[int]string{1: "spec.description", 40: "rejected our request"} {
		answer := framework.Do(t, u.Config, framework.Request{Method: http.MethodPatch, Path: domains + "/victim",
			ContentType: "application/json-patch+json", Body: copying(times)})
		assert.Contains(t, string(answer.Body), want, "%d copies", times)
	}
	assert.Empty(t, got(t, u, "victim").Annotations)
	_, err := u.Domains().Get(t.Context(), "bomb", metav1.GetOptions{})
	require.Error(t, err)
}

// TestNoWatchIsForEver verifies that a watch ends after the timeout of the request, and in any case
// between one and two times --min-request-timeout.
func TestNoWatchIsForEver(t *testing.T) {
	t.Parallel()
	u := editor(t)
	begin := time.Now()
	answer := framework.Do(t, u.Config, framework.Request{Path: framework.DomainsPath(u.Namespace) + "?watch=true&timeoutSeconds=1"})
	require.Equal(t, http.StatusOK, answer.Code)
	assert.GreaterOrEqual(t, time.Since(begin), time.Second)
	assert.Less(t, time.Since(begin), quickly)

	server, err := env.Roadstead.NewAPIServer(t.Context(), env.Name("impatient"), install.APIServer, "--min-request-timeout=1")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Kill() })
	require.NoError(t, server.Start(t.Context()))
	past := rest.CopyConfig(u.Config)
	past.Host = "https://" + server.Address()
	past.TLSClientConfig.Insecure, past.TLSClientConfig.CAData, past.TLSClientConfig.CAFile = true, nil, ""
	begin = time.Now()
	answer = framework.Do(t, past, framework.Request{Path: framework.DomainsPath(u.Namespace) + "?watch=true"})
	require.Equal(t, http.StatusOK, answer.Code)
	assert.GreaterOrEqual(t, time.Since(begin), time.Second)
	assert.Less(t, time.Since(begin), quickly)
}
