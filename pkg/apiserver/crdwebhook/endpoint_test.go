// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/component-base/metrics/testutil"

	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// reviewerFunc is a Reviewer that calls a function.
type reviewerFunc func(context.Context, *admissionv1.AdmissionRequest) (crdpolicy.Answer, error)

func (f reviewerFunc) Review(ctx context.Context, request *admissionv1.AdmissionRequest) (crdpolicy.Answer, error) {
	return f(ctx, request)
}

func allowed(_ context.Context, request *admissionv1.AdmissionRequest) (crdpolicy.Answer, error) {
	return crdpolicy.Answer{Operation: "update", Decision: "allowed", Verdict: "S", Response: &admissionv1.AdmissionResponse{UID: request.UID,
		Allowed: true}}, nil
}

func codecs() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	scheme.AddUnversionedTypes(schema.GroupVersion{Version: "v1"}, &metav1.Status{})
	return serializer.NewCodecFactory(scheme)
}

func review(uid string) []byte {
	body, _ := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request:  &admissionv1.AdmissionRequest{UID: types.UID(uid)},
	})
	return body
}

// post returns the response of the endpoint.
func post(ctx context.Context, e *Endpoint, body []byte) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/apis/g/v1/crdguard", bytes.NewReader(body))
	request = request.WithContext(genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{}))
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, request)
	return answer
}

func TestAReviewIsAnswered(t *testing.T) {
	e := New(reviewerFunc(allowed), codecs())
	requests.Reset()
	answer := post(t.Context(), e, review("u-1"))
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	assert.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	var got admissionv1.AdmissionReview
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &got))
	assert.Equal(t, "admission.k8s.io/v1, Kind=AdmissionReview", got.GroupVersionKind().String())
	assert.EqualValues(t, "u-1", got.Response.UID)
	assert.Nil(t, got.Request)
	count, err := testutil.GetCounterMetricValue(requests.WithLabelValues("update", "allowed", "S"))
	require.NoError(t, err)
	assert.EqualValues(t, 1, count)
}

func TestEndpoint_InvalidReviews(t *testing.T) {
	failing := reviewerFunc(func(context.Context, *admissionv1.AdmissionRequest) (crdpolicy.Answer, error) {
		return crdpolicy.Answer{}, errors.New("review has no oldObject")
	})
	for name, tc := range map[string]struct {
		body []byte
		want string
	}{
		"no JSON":           {[]byte("x"), "not an AdmissionReview"},
		"another kind":      {[]byte(`{"kind":"Status","apiVersion":"v1"}`), "a Status of"},
		"an older version":  {[]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","request":{}}`), "v1beta1"},
		"no request":        {[]byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), "with a request"},
		"of something else": {review("u"), "no oldObject"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := post(t.Context(), New(failing, codecs()), tc.body)
			assert.Equal(t, http.StatusBadRequest, answer.Code)
			assert.Contains(t, answer.Body.String(), tc.want)
			assert.Contains(t, answer.Body.String(), `"kind":"Status"`)
		})
	}
}

// TestEndpoint_Panic: kube-apiserver then applies the failurePolicy.
func TestEndpoint_Panic(t *testing.T) {
	e := New(reviewerFunc(func(context.Context, *admissionv1.AdmissionRequest) (crdpolicy.Answer, error) {
		panic("secret of a defect")
	}), codecs())
	requests.Reset()
	answer := post(t.Context(), e, review("u"))
	assert.Equal(t, http.StatusInternalServerError, answer.Code)
	assert.NotContains(t, answer.Body.String(), "secret of a defect")
	count, err := testutil.GetCounterMetricValue(requests.WithLabelValues("", failed, ""))
	require.NoError(t, err)
	assert.EqualValues(t, 1, count)
}
