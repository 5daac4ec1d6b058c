// SPDX-License-Identifier: Apache-2.0

package frontproxy_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/kubernetes/scheme"

	"roadstead.dev/roadstead/pkg/apiserver/filters/frontproxy"
)

// lateCA is a CA that is read later.
type lateCA struct {
	dynamiccertificates.CAContentProvider
	content []byte
}

func (c *lateCA) CurrentCABundleContent() []byte { return c.content }

func teapot(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }

func TestAwait_RefusesUntilTheCAIsKnown(t *testing.T) {
	ca := &lateCA{}
	await := frontproxy.NewAwait(&authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: ca, UsernameHeaders: headerrequest.StaticStringSlice{"X-Remote-User"},
	})
	handler := await.Handler(http.HandlerFunc(teapot), scheme.Codecs)
	ask := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer
	}

	refused := ask("/apis")
	require.Equal(t, http.StatusServiceUnavailable, refused.Code)
	require.Equal(t, "1", refused.Header().Get("Retry-After"))
	require.Contains(t, refused.Body.String(), "ConfigMap kube-system/extension-apiserver-authentication")
	require.Error(t, await.Check(nil))
	for _, probe := range []string{"/livez", "/readyz", "/readyz/etcd", "/healthz"} {
		require.Equal(t, http.StatusTeapot, ask(probe).Code, probe)
	}
	require.Equal(t, http.StatusServiceUnavailable, ask("/readyzzz").Code)

	ca.content = []byte("CA")
	require.Equal(t, http.StatusTeapot, ask("/apis").Code)
	require.NoError(t, await.Check(nil))
	ca.content = nil
	require.Equal(t, http.StatusTeapot, ask("/apis").Code, "it was known once; who calls is decided by authentication again")
}

func TestAwait_NoAggregationLayer(t *testing.T) {
	await := frontproxy.NewAwait(nil)
	require.Nil(t, await)
	answer := httptest.NewRecorder()
	await.Handler(http.HandlerFunc(teapot), scheme.Codecs).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/apis", nil))
	require.Equal(t, http.StatusTeapot, answer.Code)
}
