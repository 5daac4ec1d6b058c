// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/kubernetes/scheme"
)

// answered sends a request for a Domain through the filter of authorization and ReportUnavailable.
func answered(t *testing.T, a authorizer.Authorizer, handler http.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	chain := ReportUnavailable(filters.WithAuthorization(handler, a, scheme.Codecs), scheme.Codecs)
	ctx := request.WithUser(t.Context(), tenant)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: "get", APIGroup: "takaro.roadstead.dev", APIVersion: "v1alpha1", Resource: "domains",
		Namespace: "team", Name: "one",
	})
	answer := httptest.NewRecorder()
	chain.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet,
		"/apis/takaro.roadstead.dev/v1alpha1/namespaces/team/domains/one", nil))
	return answer
}

func TestReportUnavailable_SaysWhatIsMissing(t *testing.T) {
	reviews := schema.GroupResource{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"no right to review": {apierrors.NewForbidden(reviews, "", nil), "restore the ClusterRoleBinding roadstead-apiserver:auth-delegator"},
		"token not accepted": {apierrors.NewUnauthorized("expired"), "restart its pods"},
		"no answer":          {apierrors.NewTimeoutError("slow", 1), "the cluster does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			failing := counted(authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
				return authorizer.DecisionNoOpinion, "", c.err
			}))
			answer := answered(t, failing, func(http.ResponseWriter, *http.Request) { t.Error("the request was served") })
			require.Equal(t, http.StatusServiceUnavailable, answer.Code)
			require.Equal(t, retryAfter, answer.Header().Get("Retry-After"))
			status := &metav1.Status{}
			require.NoError(t, json.Unmarshal(answer.Body.Bytes(), status), "%s", answer.Body)
			require.Equal(t, metav1.StatusReasonServiceUnavailable, status.Reason)
			require.Contains(t, status.Message, c.says)
			require.NotContains(t, answer.Body.String(), "Internal Server Error")
		})
	}
}

// TestReportUnavailable_LeavesOtherAnswers: an error of an allowed request is not replaced.
func TestReportUnavailable_LeavesOtherAnswers(t *testing.T) {
	serve := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, err := w.Write([]byte("text"))
			require.NoError(t, err)
		}
	}
	for _, answer := range []authorizationv1.SubjectAccessReviewStatus{allow, deny, noOpinion} {
		h := &host{decide: func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus { return answer }}
		a := h.start(t, nil)
		for _, code := range []int{http.StatusOK, http.StatusInternalServerError} {
			got := answered(t, a, serve(code))
			if !answer.Allowed {
				code = http.StatusForbidden
			} else {
				require.Equal(t, "text", got.Body.String())
			}
			require.Equal(t, code, got.Code)
		}
	}
	warned := counted(authorizer.AuthorizerFunc(func(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
		return authorizer.DecisionAllow, "", apierrors.NewTimeoutError("of another rule", 1)
	}))
	require.Equal(t, http.StatusInternalServerError, answered(t, warned, serve(http.StatusInternalServerError)).Code)
}

// TestReportUnavailable_HostThatIsBroken goes through the authorizers of New.
func TestReportUnavailable_HostThatIsBroken(t *testing.T) {
	h := &host{broken: true}
	answer := answered(t, h.start(t, nil), func(http.ResponseWriter, *http.Request) { t.Error("the request was served") })
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
}
