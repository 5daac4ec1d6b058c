// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"
)

var (
	things = schema.GroupResource{Group: "g", Resource: "things"}
	others = schema.GroupResource{Group: "g", Resource: "others"}
)

// codecs contains only Status, the format of a refusal.
func codecs() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
	return serializer.NewCodecFactory(scheme)
}

// ask returns the status and the body of a request for a resource, or for a non-resource path.
func ask(t *testing.T, g *Gate, resource *schema.GroupResource) (int, string) {
	t.Helper()
	reached := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	info := &genericapirequest.RequestInfo{Path: "/apis"}
	if resource != nil {
		info = &genericapirequest.RequestInfo{IsResourceRequest: true, APIGroup: resource.Group, APIVersion: "v1", Resource: resource.Resource}
	}
	request := httptest.NewRequest(http.MethodGet, "/any", nil)
	request = request.WithContext(genericapirequest.WithRequestInfo(request.Context(), info))
	answer := httptest.NewRecorder()
	g.Handler(reached, codecs()).ServeHTTP(answer, request)
	return answer.Code, answer.Body.String()
}

func TestAClosedGateRefusesResourcesOnly(t *testing.T) {
	g := New()
	code, _ := ask(t, g, &things)
	require.Equal(t, http.StatusNoContent, code, "a new gate is open")

	assert.True(t, g.Close("store", All, "the store is another one: run this"))
	assert.False(t, g.Close("store", All, "the store is another one: run that"), "the second time it was closed already")
	code, body := ask(t, g, &things)
	assert.Equal(t, http.StatusServiceUnavailable, code)
	assert.Contains(t, body, "the store is another one: run that")
	assert.Contains(t, body, `"reason":"ServiceUnavailable"`)
	code, _ = ask(t, g, nil)
	assert.Equal(t, http.StatusNoContent, code, "discovery and health pass")

	g.Open("something else")
	code, _ = ask(t, g, &things)
	assert.Equal(t, http.StatusServiceUnavailable, code)
	g.Open("store")
	code, _ = ask(t, g, &things)
	assert.Equal(t, http.StatusNoContent, code)
}

func TestAnExemptPathPassesAlways(t *testing.T) {
	g := New()
	g.Close("store", All, "refused")
	g.Exempt("/apis/g/v1/check")
	defer g.Open("store")
	for path, want := range map[string]int{
		"/apis/g/v1/check": http.StatusNoContent, "/apis/g/v1/check/": http.StatusServiceUnavailable,
		"/apis/g/v1/check/more": http.StatusServiceUnavailable, "/apis/g/v1/things": http.StatusServiceUnavailable,
	} {
		reached := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		request := httptest.NewRequest(http.MethodPost, path, nil)
		info := &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIVersion: "v1", Resource: "check"}
		answer := httptest.NewRecorder()
		g.Handler(reached, codecs()).ServeHTTP(answer, request.WithContext(genericapirequest.WithRequestInfo(request.Context(), info)))
		assert.Equal(t, want, answer.Code, path)
	}
}

func TestOneResourceOnly(t *testing.T) {
	g := New()
	g.Close("seed", things, "restore the seed")
	code, _ := ask(t, g, &things)
	assert.Equal(t, http.StatusServiceUnavailable, code)
	code, _ = ask(t, g, &others)
	assert.Equal(t, http.StatusNoContent, code)

	want := "# HELP roadstead_requests_refused [ALPHA] 1 while requests for the resource (empty: for all) are answered with 503, by cause.\n" +
		"# TYPE roadstead_requests_refused gauge\n"
	require.NoError(t, testutil.GatherAndCompare(legacyregistry.DefaultGatherer,
		strings.NewReader(want+`roadstead_requests_refused{cause="seed",resource="things.g"} 1`+"\n"), "roadstead_requests_refused"))
	g.Open("seed")
	require.NoError(t, testutil.GatherAndCompare(legacyregistry.DefaultGatherer, strings.NewReader(""), "roadstead_requests_refused"))
}
