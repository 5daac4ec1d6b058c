// SPDX-License-Identifier: Apache-2.0

// Package bodylimit keeps large request bodies to the resources that need them. The generic server knows one limit for all.
package bodylimit

import (
	"fmt"
	"io"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

const (
	// Small is the limit of most resources, in bytes; it is that of Kubernetes.
	Small = 3 << 20
	// Large is the limit of those that hold CustomResourceDefinitions.
	Large = 12 << 20
	// retryAfter is when a client that met too many large requests may come again, in seconds.
	retryAfter = 1
)

// Limiter refuses bodies above Small, except for some resources; of the large bodies of those only a few are taken at a
// time, because each takes many times its size in memory.
type Limiter struct {
	large sets.Set[schema.GroupResource]
	slots chan struct{}
}

// New returns a limiter that takes up to atOnce large bodies at a time for the given resources.
func New(atOnce int, large ...schema.GroupResource) *Limiter {
	return &Limiter{large: sets.New(large...), slots: make(chan struct{}, atOnce)}
}

// Handler refuses with 413 what is too large, and with 429 a large body that comes while enough others are being served. It
// belongs behind authentication and authorization.
func (l *Limiter) Handler(next http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := genericapirequest.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || r.Body == nil || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		refuse := func(err error) {
			responsewriters.ErrorNegotiated(err, serializer, schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}, w, r)
		}
		if !l.large.Has(schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}) {
			if r.ContentLength > Small {
				refuse(tooLarge())
				return
			}
			r.Body = &bounded{ReadCloser: r.Body, left: Small}
			next.ServeHTTP(w, r)
			return
		}
		if r.ContentLength >= 0 && r.ContentLength <= Small {
			next.ServeHTTP(w, r)
			return
		}
		select {
		case l.slots <- struct{}{}:
			defer func() { <-l.slots }()
			next.ServeHTTP(w, r)
		default:
			refuse(apierrors.NewTooManyRequests(fmt.Sprintf("%d requests with bodies above %d MiB are being served; try again in a moment", cap(l.slots), Small>>20), retryAfter))
		}
	})
}

func tooLarge() error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", Small))
}

// bounded is a body of unknown length.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read gives an error that the API machinery answers with 413.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge()
	}
	return n, err
}
