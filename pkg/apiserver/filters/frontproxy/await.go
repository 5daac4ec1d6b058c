// SPDX-License-Identifier: Apache-2.0

package frontproxy

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
)

// Await refuses requests until the server can authenticate the aggregation layer. The generic
// server reads the CA of the aggregation layer in the background after it has started to listen. An
// earlier request would be treated as anonymous and refused with 403, which clients do not retry. A
// nil Await refuses nothing.
type Await struct {
	config *authenticatorfactory.RequestHeaderConfig
	known  atomic.Bool
}

// NewAwait returns an Await for a configuration that is read in the background, or nil without one.
func NewAwait(config *authenticatorfactory.RequestHeaderConfig) *Await {
	if config == nil {
		return nil
	}
	return &Await{config: config}
}

// Check returns nil when the CA and the headers are known. It does not fail again after later
// changes.
func (a *Await) Check(*http.Request) error {
	if a.known.Load() {
		return nil
	}
	if len(a.config.CAContentProvider.CurrentCABundleContent()) == 0 || len(a.config.UsernameHeaders.Value()) == 0 {
		return errors.New("the CA of the aggregation layer is not known: ConfigMap kube-system/extension-apiserver-authentication " +
			"has not been read yet, or has no requestheader-client-ca-file")
	}
	a.known.Store(true)
	return nil
}

// Handler answers 503 until Check passes, to all requests except probes.
func (a *Await) Handler(next http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	if a == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := a.Check(r)
		if err == nil || isProbe(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		// client-go retries automatically if the response has this header.
		w.Header().Set("Retry-After", "1")
		unavailable := apierrors.NewServiceUnavailable("this server has just started: " + err.Error())
		responsewriters.ErrorNegotiated(unavailable, serializer, schema.GroupVersion{Version: "v1"}, w, r)
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
