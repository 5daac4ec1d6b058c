// SPDX-License-Identifier: Apache-2.0

// Package gate answers resource requests with 503 while something is wrong with the store. A 404,
// or an empty list, would be treated as the actual state: the garbage collector deletes dependents
// of objects that do not exist.
package gate

import (
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// All is every resource.
var All = schema.GroupResource{}

// key is one reason to be closed.
type key struct {
	cause    string
	resource schema.GroupResource
}

// Gate accepts resource requests while no cause closes it. It always accepts discovery, OpenAPI,
// health and metrics: if the discovery of one group fails, the cluster cannot delete any namespace.
// A new Gate is open.
type Gate struct {
	mu     sync.RWMutex
	closed map[key]string
	// conditions are evaluated for each request. The slice is replaced, never changed.
	conditions []condition
	// exempt are paths that need no store.
	exempt map[string]bool
}

// New returns an open gate.
func New() *Gate {
	return &Gate{closed: map[key]string{}, exempt: map[string]bool{}}
}

// Close refuses requests for a resource, or for All, until Open is called with the same cause.
// message is the error for clients: what is wrong and what to do. cause is a short word for the
// metric, for example "store-identity". Close reports whether the cause was not closed for the
// resource before.
func (g *Gate) Close(cause string, resource schema.GroupResource, message string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := key{cause: cause, resource: resource}
	_, before := g.closed[at]
	g.closed[at] = message
	refused.WithLabelValues(cause, resource.String()).Set(1)
	return !before
}

// Open reverts all calls of Close with the cause.
func (g *Gate) Open(cause string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for at := range g.closed {
		if at.cause == cause {
			delete(g.closed, at)
			refused.DeleteLabelValues(at.cause, at.resource.String())
		}
	}
}

// Exempt always accepts requests for exactly this path, whose handler needs no store.
func (g *Gate) Exempt(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.exempt[path] = true
}

func (g *Gate) exempts(path string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.exempt[path]
}

// message returns why requests for the resource are refused, or "".
func (g *Gate) message(resource schema.GroupResource) string {
	if message := g.closedFor(resource); message != "" {
		return message
	}
	return g.unmet()
}

func (g *Gate) closedFor(resource schema.GroupResource) string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for at, message := range g.closed {
		if at.resource == All || at.resource == resource {
			return message
		}
	}
	return ""
}

// Handler refuses requests while the gate is closed. It must run after authentication and
// authorization, because the message contains details of the installation.
func (g *Gate) Handler(next http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := genericapirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || g.exempts(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		message := g.message(schema.GroupResource{Group: info.APIGroup, Resource: info.Resource})
		if message == "" {
			next.ServeHTTP(w, r)
			return
		}
		gv := schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
		responsewriters.ErrorNegotiated(apierrors.NewServiceUnavailable(message), serializer, gv, w, r)
	})
}
