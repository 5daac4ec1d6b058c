// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// biteLimit is the maximum time until a policy takes effect.
const biteLimit = 10 * time.Second

// creates returns rules that match the creation of Domains in a namespace.
func creates(namespace string) ([]registrationv1.RuleWithOperations, *metav1.LabelSelector) {
	return []registrationv1.RuleWithOperations{{
		Operations: []registrationv1.OperationType{registrationv1.Create},
		Rule:       registrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{"domains"}},
	}}, &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}}
}

func matching(namespace string) *registrationv1.MatchResources {
	rules, selector := creates(namespace)
	return &registrationv1.MatchResources{NamespaceSelector: selector,
		ResourceRules: []registrationv1.NamedRuleWithOperations{{RuleWithOperations: rules[0]}}}
}

// awaitRefused returns when a create is rejected with the given text.
func awaitRefused(t *testing.T, u *framework.User, text string) {
	t.Helper()
	framework.AwaitFor(t, biteLimit, "a refusal", func() error {
		_, err := u.Domains().Create(t.Context(), newDomain("bitten"), dryRun())
		if err == nil {
			return errors.New("admitted")
		}
		require.ErrorContains(t, err, text)
		return nil
	})
}

// awaitLabelled returns when a created Domain gets a label.
func awaitLabelled(t *testing.T, u *framework.User) {
	t.Helper()
	framework.AwaitFor(t, biteLimit, "a label", func() error {
		domain, err := u.Domains().Create(t.Context(), newDomain("bitten"), dryRun())
		require.NoError(t, err)
		if domain.Labels["bitten"] != "yes" {
			return errors.New("not labelled")
		}
		return nil
	})
}

// TestC13PoliciesBite verifies that admission policies of the cluster apply to Roadstead objects,
// although kube-apiserver does not run admission for requests that it proxies
// (kubernetes/kubernetes#60924).
func TestC13PoliciesBite(t *testing.T) {
	registration := env.Admin.AdmissionregistrationV1()
	t.Run("ValidatingAdmissionPolicy", func(t *testing.T) {
		u, name := editor(t), env.Name("validating")
		_, err := registration.ValidatingAdmissionPolicies().Create(t.Context(), &registrationv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: registrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: matching(u.Namespace), Validations: []registrationv1.Validation{{Expression: "false", Message: "a policy says no"}},
			},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = registration.ValidatingAdmissionPolicyBindings().Create(t.Context(), &registrationv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: registrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name,
				ValidationActions: []registrationv1.ValidationAction{registrationv1.Deny}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		awaitRefused(t, u, "a policy says no")
	})
	t.Run("MutatingAdmissionPolicy", func(t *testing.T) {
		u, name := editor(t), env.Name("mutating")
		_, err := registration.MutatingAdmissionPolicies().Create(t.Context(), &registrationv1.MutatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: registrationv1.MutatingAdmissionPolicySpec{
				MatchConstraints: matching(u.Namespace), FailurePolicy: ptr.To(registrationv1.Fail),
				ReinvocationPolicy: registrationv1.NeverReinvocationPolicy,
				Mutations: []registrationv1.Mutation{{
					PatchType:          registrationv1.PatchTypeApplyConfiguration,
					ApplyConfiguration: &registrationv1.ApplyConfiguration{Expression: `Object{metadata: Object.metadata{labels: {"bitten": "yes"}}}`},
				}},
			},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = registration.MutatingAdmissionPolicyBindings().Create(t.Context(), &registrationv1.MutatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: registrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		awaitLabelled(t, u)
	})
	t.Run("validating webhook", func(t *testing.T) {
		u := editor(t)
		client := webhook(t, func(response *admissionv1.AdmissionResponse) {
			response.Allowed, response.Result = false, &metav1.Status{Message: "a webhook says no"}
		})
		rules, selector := creates(u.Namespace)
		_, err := registration.ValidatingWebhookConfigurations().Create(t.Context(), &registrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: env.Name("validating")},
			Webhooks: []registrationv1.ValidatingWebhook{{
				Name: "no.roadstead.test", ClientConfig: client, Rules: rules, NamespaceSelector: selector,
				SideEffects: ptr.To(registrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		awaitRefused(t, u, "a webhook says no")
	})
	t.Run("mutating webhook", func(t *testing.T) {
		u := editor(t)
		client := webhook(t, func(response *admissionv1.AdmissionResponse) {
			response.PatchType, response.Patch = ptr.To(admissionv1.PatchTypeJSONPatch),
				[]byte(`[{"op":"add","path":"/metadata/labels","value":{"bitten":"yes"}}]`)
		})
		rules, selector := creates(u.Namespace)
		_, err := registration.MutatingWebhookConfigurations().Create(t.Context(), &registrationv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: env.Name("mutating")},
			Webhooks: []registrationv1.MutatingWebhook{{
				Name: "label.roadstead.test", ClientConfig: client, Rules: rules, NamespaceSelector: selector,
				SideEffects: ptr.To(registrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		awaitLabelled(t, u)
	})
}

// webhook serves an admission webhook that allows every request that answer does not reject or
// modify.
func webhook(t *testing.T, answer func(*admissionv1.AdmissionResponse)) registrationv1.WebhookClientConfig {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&review)) {
			return
		}
		var domain v1alpha1.Domain
		assert.NoError(t, json.Unmarshal(review.Request.Object.Raw, &domain))
		assert.Equal(t, "bitten", domain.Name)
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		answer(review.Response)
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(review))
	}))
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return registrationv1.WebhookClientConfig{URL: ptr.To(server.URL), CABundle: ca}
}
