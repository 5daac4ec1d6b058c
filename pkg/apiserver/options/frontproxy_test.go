// SPDX-License-Identifier: Apache-2.0

package options

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"roadstead.dev/roadstead/pkg/apiserver"
)

// lateCA is a CA that comes later.
type lateCA struct {
	dynamiccertificates.CAContentProvider
	content []byte
}

func (c *lateCA) CurrentCABundleContent() []byte { return c.content }

func TestNobodyIsAnonymousBecauseTheServerHasJustStarted(t *testing.T) {
	ca := &lateCA{}
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	config.Authentication.RequestHeaderConfig = &authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: ca, UsernameHeaders: headerrequest.StaticStringSlice{"X-Remote-User"},
	}
	config.BuildHandlerChainFunc = func(handler http.Handler, _ *genericapiserver.Config) http.Handler { return handler }
	before := len(config.ReadyzChecks)
	awaitFrontProxy(config)
	require.Len(t, config.ReadyzChecks, before+1)
	check := config.ReadyzChecks[before]
	require.Equal(t, "front-proxy-ca", check.Name())
	handler := config.BuildHandlerChainFunc(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), &config.Config)
	ask := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer
	}

	refused := ask("/apis")
	require.Equal(t, http.StatusServiceUnavailable, refused.Code)
	require.Equal(t, "1", refused.Header().Get("Retry-After"))
	require.Contains(t, refused.Body.String(), "ConfigMap kube-system/extension-apiserver-authentication")
	require.Error(t, check.Check(nil))
	for _, probe := range []string{"/livez", "/readyz", "/readyz/etcd", "/healthz"} {
		require.Equal(t, http.StatusTeapot, ask(probe).Code, probe)
	}
	require.Equal(t, http.StatusServiceUnavailable, ask("/readyzzz").Code)

	ca.content = []byte("CA")
	require.Equal(t, http.StatusTeapot, ask("/apis").Code)
	require.NoError(t, check.Check(nil))
	ca.content = nil
	require.Equal(t, http.StatusTeapot, ask("/apis").Code, "it was known once; who calls is decided by authentication again")
}

func TestWithoutAnAggregationLayerNothingIsAwaited(t *testing.T) {
	config := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	before := len(config.ReadyzChecks)
	awaitFrontProxy(config)
	require.Len(t, config.ReadyzChecks, before)
}
