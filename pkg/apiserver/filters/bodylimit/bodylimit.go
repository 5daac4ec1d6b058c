// SPDX-License-Identifier: Apache-2.0

// Package bodylimit bounds what the bodies of requests cost the server: their size, the time in
// which they must arrive, the memory that they take together, and how many large ones are served at
// the same time. The generic server has one size limit for all resources and no other bound, so a
// few clients that send large bodies slowly, or many at the same time, could use up what other
// clients need.
package bodylimit

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Limiter applies the limits of a class to each request.
type Limiter struct {
	classes map[schema.GroupResource]*class
	others  *class
}

// New returns a limiter. Resources that no class names belong to others.
func New(others Class, classes ...Class) *Limiter {
	register()
	l := &Limiter{classes: map[schema.GroupResource]*class{}, others: newClass(others)}
	for _, one := range classes {
		made := newClass(one)
		for _, resource := range one.Resources {
			l.classes[resource] = made
		}
	}
	return l
}

// Handler answers a request with 413 if its body is too large, with 408 if the body arrives too
// slowly, and with 429 if the memory or the places of its class are in use. It must run after
// authentication and authorization: limits per caller need to know the caller. Long-running
// requests are exempt, because a read deadline would end them.
func (l *Limiter) Handler(
	next http.Handler, longRunning genericapirequest.LongRunningRequestCheck, serializer runtime.NegotiatedSerializer,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := genericapirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || r.Body == nil || r.ContentLength == 0 || longRunning(r, info) {
			next.ServeHTTP(w, r)
			return
		}
		body := l.class(info).newBody(w, r)
		defer body.release()
		if err := body.admit(r); err != nil {
			gv := schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
			responsewriters.ErrorNegotiated(err, serializer, gv, w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (l *Limiter) class(info *genericapirequest.RequestInfo) *class {
	if class, ok := l.classes[schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}]; ok {
		return class
	}
	return l.others
}
