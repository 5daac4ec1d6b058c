// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

var schemas = schema.GroupResource{Group: "release.roadstead.dev", Resource: "crdschemas"}

// send serves a request for a resource with a body of some size; a negative length is one that is not told.
func send(t *testing.T, limiter *Limiter, resource schema.GroupResource, size int, length int64, next http.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size)))
	request.ContentLength = length
	request = request.WithContext(genericapirequest.WithRequestInfo(request.Context(), &genericapirequest.RequestInfo{
		IsResourceRequest: true, APIGroup: resource.Group, APIVersion: "v1alpha1", Resource: resource.Resource,
	}))
	answer := httptest.NewRecorder()
	limiter.Handler(next, serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()).ServeHTTP(answer, request)
	return answer
}

// reading reads the body as the API machinery does, and answers an error as it does.
func reading(w http.ResponseWriter, r *http.Request) {
	_, err := io.ReadAll(r.Body)
	if apierrors.IsRequestEntityTooLargeError(err) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	} else if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
	}
}

func TestBodies(t *testing.T) {
	domains := schema.GroupResource{Group: "takaro.roadstead.dev", Resource: "domains"}
	for name, tc := range map[string]struct {
		resource schema.GroupResource
		size     int
		untold   bool
		want     int
	}{
		"small":                         {domains, 100, false, 200},
		"as large as may be":            {domains, Small, false, 200},
		"too large":                     {domains, Small + 1, false, 413},
		"too large, length untold":      {domains, Small + 1, true, 413},
		"small, length untold":          {domains, Small, true, 200},
		"large where it may be":         {schemas, Small + 1, false, 200},
		"large where it may be, untold": {schemas, Small + 1, true, 200},
		"none":                          {domains, 0, false, 200},
	} {
		t.Run(name, func(t *testing.T) {
			length := int64(tc.size)
			if tc.untold {
				length = -1
			}
			require.Equal(t, tc.want, send(t, New(1, schemas), tc.resource, tc.size, length, reading).Code)
		})
	}
}

func TestFewLargeBodiesAtOnce(t *testing.T) {
	limiter := New(1, schemas)
	answer := send(t, limiter, schemas, 10, Small+1, func(w http.ResponseWriter, _ *http.Request) {
		second := send(t, limiter, schemas, 10, Small+1, reading)
		require.Equal(t, http.StatusTooManyRequests, second.Code)
		require.Equal(t, "1", second.Header().Get("Retry-After"))
		require.Contains(t, second.Body.String(), "1 requests with bodies above 3 MiB are being served")
		require.Equal(t, http.StatusOK, send(t, limiter, schemas, 10, 10, reading).Code, "small ones are not counted")
		w.WriteHeader(http.StatusCreated)
	})
	require.Equal(t, http.StatusCreated, answer.Code)
	require.Equal(t, http.StatusOK, send(t, limiter, schemas, 10, Small+1, reading).Code, "the slot is free again")
}

func TestWhatIsNoResourceIsLeft(t *testing.T) {
	request := httptest.NewRequest(http.MethodPost, "/healthz", strings.NewReader(strings.Repeat("x", Small+1)))
	answer := httptest.NewRecorder()
	New(1).Handler(http.HandlerFunc(reading), nil).ServeHTTP(answer, request)
	require.Equal(t, http.StatusOK, answer.Code)
}
