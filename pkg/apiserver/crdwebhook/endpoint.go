// SPDX-License-Identifier: Apache-2.0

package crdwebhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/klog/v2"

	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// Reviewer decides about a request.
type Reviewer interface {
	// Review returns the decision, or an error if the request is not about a
	// CustomResourceDefinition.
	Review(ctx context.Context, request *admissionv1.AdmissionRequest) (crdpolicy.Answer, error)
}

// Endpoint answers AdmissionReviews over HTTP.
type Endpoint struct {
	reviewer Reviewer
	codecs   runtime.NegotiatedSerializer
}

// New returns an endpoint; the codecs write its errors.
func New(reviewer Reviewer, codecs runtime.NegotiatedSerializer) *Endpoint {
	register()
	return &Endpoint{reviewer: reviewer, codecs: codecs}
}

// ServeHTTP handles one review. Every failure results in an HTTP error, for which kube-apiserver
// applies the configured failurePolicy, so that a defect of this program blocks requests only if
// that is configured.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	answer, decision, err := e.answer(r)
	if err != nil {
		requests.WithLabelValues("", decision, "").Inc()
		duration.WithLabelValues("").Observe(time.Since(begin).Seconds())
		responsewriters.ErrorNegotiated(err, e.codecs, admissionv1.SchemeGroupVersion, w, r)
		return
	}
	requests.WithLabelValues(answer.Operation, string(answer.Decision), string(answer.Verdict)).Inc()
	duration.WithLabelValues(answer.Operation).Observe(time.Since(begin).Seconds())
	review := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "AdmissionReview"}, Response: answer.Response,
	}
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	if err := json.NewEncoder(w).Encode(review); err != nil {
		klog.FromContext(r.Context()).V(2).Info("Failed to send the response of the CRD guard to kube-apiserver", "crd", answer.CRD, "err", err)
	}
}

// answer returns the decision, or an error with its label for the metric.
func (e *Endpoint) answer(r *http.Request) (answer crdpolicy.Answer, decision string, err error) {
	request, err := read(r)
	if err != nil {
		return answer, invalid, err
	}
	defer func() {
		if failure := recover(); failure != nil {
			klog.FromContext(r.Context()).Error(fmt.Errorf("%v", failure), "The CRD guard failed; kube-apiserver applies the failurePolicy of its "+
				"webhook configuration. This is a defect of roadstead-apiserver",
				"crd", request.Name, "operation", request.Operation, "stack", string(debug.Stack()))
			decision, err = failed, apierrors.NewInternalError(errors.New("the CRD guard failed on this request; see the log of "+
				"roadstead-apiserver"))
		}
	}()
	answer, err = e.reviewer.Review(r.Context(), request)
	if err != nil {
		return answer, invalid, apierrors.NewBadRequest(err.Error())
	}
	log(r.Context(), request, answer)
	return answer, "", nil
}

// read decodes the review. The filter bodylimit has bounded and received the body.
func read(r *http.Request) (*admissionv1.AdmissionRequest, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, apierrors.NewBadRequest("read the AdmissionReview: " + err.Error())
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, apierrors.NewBadRequest("the body is not an AdmissionReview: " + err.Error())
	}
	if review.APIVersion != admissionv1.SchemeGroupVersion.String() || review.Kind != "AdmissionReview" || review.Request == nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the body is a %s of %q, not an AdmissionReview of %s with a request",
			review.Kind, review.APIVersion, admissionv1.SchemeGroupVersion))
	}
	return review.Request, nil
}

// log logs refused requests, and allowed requests with a breaking change.
func log(ctx context.Context, request *admissionv1.AdmissionRequest, answer crdpolicy.Answer) {
	var message string
	switch answer.Decision {
	case crdpolicy.Denied, crdpolicy.CannotTell:
		message = "The CRD guard refused a request"
	case crdpolicy.AllowedOnce, crdpolicy.Warned:
		message = "The CRD guard allowed a request with a breaking change"
	default:
		return
	}
	klog.FromContext(ctx).Info(message, "crd", answer.CRD, "operation", answer.Operation, "user", request.UserInfo.Username,
		"decision", answer.Decision,
		"verdict", answer.Verdict, "digest", answer.Digest, "dryRun", request.DryRun != nil && *request.DryRun)
}
