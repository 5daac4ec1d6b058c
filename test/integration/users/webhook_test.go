// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/fakes/privateca"
)

// Paths of the two webhooks.
const (
	mutates   = "/mutates"
	validates = "/validates"
)

// webhooks is a third-party server to which the cluster sends each change of Users in one
// namespace.
type webhooks struct {
	mu   sync.Mutex
	seen []review
}

// review is one request to a webhook.
type review struct {
	path, name, body string
	request          admissionv1.AdmissionRequest
}

// nameIn returns the name of the object. For a deletecollection request only the object itself
// contains the name.
func nameIn(request *admissionv1.AdmissionRequest) string {
	var old metav1.PartialObjectMetadata
	if request.Name == "" && json.Unmarshal(request.OldObject.Raw, &old) == nil {
		return old.Name
	}
	return request.Name
}

// startWebhooks serves and registers two webhooks: a mutating webhook, which labels each User and
// removes its dashboard settings, and a validating webhook.
func startWebhooks(t *testing.T, namespace string) *webhooks {
	t.Helper()
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	w := &webhooks{}
	server := httptest.NewUnstartedServer(w)
	server.TLS = serving
	server.StartTLS()
	t.Cleanup(server.Close)

	client := func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: ptr.To(server.URL + path), CABundle: authority}
	}
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
		Rule: admissionregistrationv1.Rule{APIGroups: []string{"takaro.roadstead.dev"}, APIVersions: []string{"*"},
			Resources: []string{"users", "users/*"}},
	}}
	here := &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}}
	meta := metav1.ObjectMeta{Name: namespace + "-watches-users"}
	registered := env.Admin.AdmissionregistrationV1()
	_, err = registered.MutatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: meta,
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "mutates.test.example", ClientConfig: client(mutates), Rules: rules, NamespaceSelector: here,
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone), FailurePolicy: ptr.To(admissionregistrationv1.Fail),
		}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = registered.ValidatingWebhookConfigurations().Create(t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: meta,
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "validates.test.example", ClientConfig: client(validates), Rules: rules, NamespaceSelector: here,
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone), FailurePolicy: ptr.To(admissionregistrationv1.Fail),
		}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return w
}

// ServeHTTP records a review and allows it.
func (w *webhooks) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var asked admissionv1.AdmissionReview
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil || asked.Request == nil {
		http.Error(answer, fmt.Sprintf("no AdmissionReview: %v", err), http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	w.seen = append(w.seen, review{path: r.URL.Path, name: nameIn(asked.Request), body: string(body), request: *asked.Request})
	w.mu.Unlock()
	response := &admissionv1.AdmissionResponse{UID: asked.Request.UID, Allowed: true}
	if r.URL.Path == mutates && asked.Request.Operation != admissionv1.Delete && asked.Request.SubResource == "" {
		response.PatchType = ptr.To(admissionv1.PatchTypeJSONPatch)
		response.Patch = []byte(`[{"op":"add","path":"/metadata/labels","value":{"test.example/was":"here"}},{"op":"add","path":"/` +
			`spec/dashboardUser","value":false}]`)
	}
	answer.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(answer).Encode(admissionv1.AdmissionReview{TypeMeta: asked.TypeMeta, Response: response})
}

// of returns the reviews of an object that a webhook has received so far.
func (w *webhooks) of(path, name string) []review {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.seen), func(r review) bool { return r.path != path || r.name != name })
}
