// SPDX-License-Identifier: Apache-2.0

package options

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver/filters/frontproxy"
)

// frontProxy tells whether the aggregation layer can be recognised yet. The generic server reads its CA in the background
// after it has begun to listen; a request that is passed on before that would count as an anonymous one and be refused
// with 403, which tells clients not to try again.
type frontProxy struct {
	config *authenticatorfactory.RequestHeaderConfig
	known  atomic.Bool
}

// Check gives nil when the CA and the headers are known. They stay known: later changes are followed.
func (p *frontProxy) Check(*http.Request) error {
	if p.known.Load() {
		return nil
	}
	if len(p.config.CAContentProvider.CurrentCABundleContent()) == 0 || len(p.config.UsernameHeaders.Value()) == 0 {
		return errors.New("the CA of the aggregation layer is not known: ConfigMap kube-system/extension-apiserver-authentication was not read yet, or has no requestheader-client-ca-file")
	}
	p.known.Store(true)
	return nil
}

// gate answers 503 until Check passes, to all but probes.
func (p *frontProxy) gate(next http.Handler, codecs runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.Check(r); err != nil && !isProbe(r.URL.Path) {
			// client-go tries again by itself when it is told when.
			w.Header().Set("Retry-After", "1")
			responsewriters.ErrorNegotiated(apierrors.NewServiceUnavailable("this server has just started: "+err.Error()), codecs, schema.GroupVersion{Version: "v1"}, w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isProbe(path string) bool {
	for _, probe := range []string{"/healthz", "/livez", "/readyz"} {
		if path == probe || strings.HasPrefix(path, probe+"/") {
			return true
		}
	}
	return false
}

// awaitFrontProxy keeps the server unready and its requests out until the aggregation layer can be recognised, which is then
// done without verifying its certificate for each request.
func awaitFrontProxy(config *genericapiserver.RecommendedConfig) {
	if config.Authentication.RequestHeaderConfig == nil {
		// The flags say to go without.
		return
	}
	proxy := &frontProxy{config: config.Authentication.RequestHeaderConfig}
	config.AddReadyzChecks(healthz.NamedCheck("front-proxy-ca", proxy.Check))
	config.Authentication.Authenticator = union.New(frontproxy.New(proxy.config, clock.RealClock{}), config.Authentication.Authenticator)
	build := config.BuildHandlerChainFunc
	config.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return proxy.gate(build(handler, c), c.Serializer)
	}
}
