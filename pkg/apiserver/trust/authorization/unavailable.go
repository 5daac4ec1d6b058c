// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// retryAfter is the number of seconds after which a client may retry.
const retryAfter = "5"

// failure is the reason why the cluster did not decide about a request.
type failure struct {
	err atomic.Pointer[error]
}

type failureKey struct{}

// note records an error of the cluster for the response.
func note(ctx context.Context, err error) {
	if found, ok := ctx.Value(failureKey{}).(*failure); ok && err != nil {
		found.err.Store(&err)
	}
}

// ReportUnavailable returns 503 and the cause if the cluster did not decide about a request. The
// generic server would return 500, which clients treat as a defect and do not retry. It must be the
// outermost filter of a handler chain with the authorizers of New.
func ReportUnavailable(next http.Handler, serializer runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failed := &failure{}
		r = r.WithContext(context.WithValue(r.Context(), failureKey{}, failed))
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(&reporter{ResponseWriter: w, request: r, failed: failed, serializer: serializer}), r)
	})
}

// reporter replaces the 500 for a request that the cluster did not decide about.
type reporter struct {
	http.ResponseWriter
	request    *http.Request
	failed     *failure
	serializer runtime.NegotiatedSerializer
	replaced   bool
}

var _ responsewriter.UserProvidedDecorator = &reporter{}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (w *reporter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *reporter) WriteHeader(code int) {
	err := w.failed.err.Load()
	if code != http.StatusInternalServerError || err == nil {
		w.ResponseWriter.WriteHeader(code)
		return
	}
	w.replaced = true
	w.Header().Del("Content-Type")
	w.Header().Del("X-Content-Type-Options")
	w.Header().Set("Retry-After", retryAfter)
	responsewriters.ErrorNegotiated(unavailable(*err), w.serializer, schema.GroupVersion{}, w.ResponseWriter, w.request)
}

// Write implements http.ResponseWriter. It drops the body of the response that was replaced.
func (w *reporter) Write(text []byte) (int, error) {
	if w.replaced {
		return len(text), nil
	}
	return w.ResponseWriter.Write(text)
}

// unavailable returns the error for the caller.
func unavailable(err error) *apierrors.StatusError {
	switch {
	case apierrors.IsForbidden(err):
		return apierrors.NewServiceUnavailable(fmt.Sprintf("roadstead-apiserver cannot check what you may do, because it lacks the right to "+
			"create SubjectAccessReviews in the cluster: restore the ClusterRoleBinding roadstead-apiserver:auth-delegator (%v)", err))
	case apierrors.IsUnauthorized(err):
		return apierrors.NewServiceUnavailable(fmt.Sprintf("roadstead-apiserver cannot check what you may do, because the cluster does not "+
			"accept its ServiceAccount token: restart its pods (%v)", err))
	}
	return apierrors.NewServiceUnavailable(fmt.Sprintf("roadstead-apiserver cannot check what you may do, because the cluster does not "+
		"answer its SubjectAccessReview; try again: %v", err))
}
