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
	// Review gives an answer; the error is for a request that no reviewer of CustomResourceDefinitions can be asked.
	Review(ctx context.Context, request *admissionv1.AdmissionRequest) (crdpolicy.Answer, error)
}

// Endpoint answers AdmissionReviews over HTTP.
type Endpoint struct {
	reviewer Reviewer
	codecs   runtime.NegotiatedSerializer
}

// New makes an endpoint; the codecs write its errors.
func New(reviewer Reviewer, codecs runtime.NegotiatedSerializer) *Endpoint {
	register()
	return &Endpoint{reviewer: reviewer, codecs: codecs}
}

// ServeHTTP answers one review. Whatever goes wrong here is an error of HTTP, which the host takes for no answer at all: it
// goes by the failurePolicy that it was configured with, so that a defect of this program blocks nobody who does not want it.
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
		klog.FromContext(r.Context()).V(2).Info("The host cluster did not take the answer of the CRD guard", "crd", answer.CRD, "err", err)
	}
}

// answer gives an answer, or an error with the word that the metric has for it.
func (e *Endpoint) answer(r *http.Request) (answer crdpolicy.Answer, decision string, err error) {
	request, err := read(r)
	if err != nil {
		return answer, invalid, err
	}
	defer func() {
		if failure := recover(); failure != nil {
			klog.FromContext(r.Context()).Error(fmt.Errorf("%v", failure), "The CRD guard failed; the host goes by the failurePolicy of its "+
				"webhook configuration. This is a defect of roadstead-apiserver",
				"crd", request.Name, "operation", request.Operation, "stack", string(debug.Stack()))
			decision, err = failed, apierrors.NewInternalError(errors.New("the CRD guard failed on this request; the log of roadstead-apiserver "+
				"says where"))
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
		return nil, apierrors.NewBadRequest("read the review: " + err.Error())
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		return nil, apierrors.NewBadRequest("the body is no AdmissionReview: " + err.Error())
	}
	if review.APIVersion != admissionv1.SchemeGroupVersion.String() || review.Kind != "AdmissionReview" || review.Request == nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the body is a %s of %q, not an AdmissionReview of %s with a request",
			review.Kind, review.APIVersion, admissionv1.SchemeGroupVersion))
	}
	return review.Request, nil
}

// log tells of what was refused, and of what was let pass though it breaks something.
func log(ctx context.Context, request *admissionv1.AdmissionRequest, answer crdpolicy.Answer) {
	var message string
	switch answer.Decision {
	case crdpolicy.Denied, crdpolicy.CannotTell:
		message = "The CRD guard refused a request"
	case crdpolicy.AllowedOnce, crdpolicy.Warned:
		message = "The CRD guard let a request pass that breaks something"
	default:
		return
	}
	klog.FromContext(ctx).Info(message, "crd", answer.CRD, "operation", answer.Operation, "user", request.UserInfo.Username,
		"decision", answer.Decision,
		"verdict", answer.Verdict, "digest", answer.Digest, "dryRun", request.DryRun != nil && *request.DryRun)
}
