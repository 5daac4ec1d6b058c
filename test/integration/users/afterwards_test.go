// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

var metav1Codecs = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()

// TestNoPolicySeesAPassword uses a policy of the cluster that would print the password of the new
// and the old object.
func TestNoPolicySeesAPassword(t *testing.T) {
	tm := newTeam(t)
	code, _ := request(t, tm.Config, http.MethodPost, tm.path(""), asJSON, asJSON, userJSON("old-one", password()))
	require.Equal(t, http.StatusCreated, code)
	policies, name := env.Admin.AdmissionregistrationV1(), tm.Namespace+"-prints"
	_, err := policies.ValidatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{"CREATE", "UPDATE"},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{"takaro.roadstead.dev"}, APIVersions: []string{"*"},
						Resources: []string{"users"}},
				}}}},
			Validations: []admissionregistrationv1.Validation{{
				Expression: "false",
				MessageExpression: `"seen: " + (has(object.spec.password) ? object.spec.password : "nothing") + " and " +
					(oldObject != null && has(oldObject.spec.password) ? oldObject.spec.password : "nothing")`,
			}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"kubernetes.io/metadata.name": tm.Namespace}}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	tm.await("the policy holds", func() error {
		code, answer := request(t, tm.Config, http.MethodPost, tm.path("?dryRun=All"), asJSON, asJSON, userJSON("new-one", password()))
		return framework.Unless(code == http.StatusUnprocessableEntity && strings.Contains(string(answer), "seen: nothing and nothing"),
			"%d: %s", code, answer)
	})
	code, answer := request(t, tm.Config, http.MethodPatch, tm.path("/old-one"), mergePatch, asJSON, `{"spec":{"password":"`+password()+`"}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, string(answer), "seen: nothing and nothing")
	require.NoError(t, policies.ValidatingAdmissionPolicyBindings().Delete(t.Context(), name, metav1.DeleteOptions{}))
}

// TestGivenPassword follows a given password through its lifecycle. It is stored in Takaro and in
// the Secret of the User, which users can read, and nowhere else, even if Takaro echoes the request
// in its error.
func TestGivenPassword(t *testing.T) {
	tm := newTeam(t)
	domain := tm.domain()
	secret, email := password(), "given@"+tm.Namespace+".example"
	fault, err := env.Takaro.InjectFault(takaro.Fault{Kind: takaro.FaultErrorAfter, Method: http.MethodPost, Path: "/user", Times: 1})
	require.NoError(t, err)
	defer env.Takaro.RemoveFault(fault)
	tm.apply(userManifest("given", "arena", email, "password: "+secret))
	user := tm.awaitReady("given")
	assert.Equal(t, "True PasswordAccepted", passwordValid(user))
	assert.True(t, env.Takaro.PasswordIs(email, secret))
	assert.Equal(t, secret, tm.login("given")["password"])
	assert.Equal(t, user.Status.UserID, inTakaro(domain, email).ID)
	tm.kubectl("", "patch", usersResource, "given", "--type=merge", "-p", `{"spec":{"password":"`+password()+`"}}`)
	requireHidden(t, "the status", []byte(tm.awaitUser("given", "Ready", "False PasswordRefused").String()))
	tm.kubectl("", "delete", usersResource, "given", "--timeout=60s")
}

// TestNothingLeftBehindShowsAPassword runs last and searches everything that the tests stored.
func TestNothingLeftBehindShowsAPassword(t *testing.T) {
	require.NotEmpty(t, marked.all, "run it with the others")
	read := func(path string) []byte {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotEmpty(t, text, path)
		return text
	}
	audit := read(auditLog)
	requireHidden(t, "the audit log of roadstead-apiserver", audit)
	assert.Contains(t, string(audit), `"level":"RequestResponse"`, "it has bodies")
	assert.Contains(t, string(audit), "/credentials")
	requireHidden(t, "the audit log of the cluster", read(env.Cluster.AuditLog()))
	requireHidden(t, "the log of roadstead-apiserver", read(env.Roadstead.APIServer().Log()))
	requireHidden(t, "the log of roadstead-controller", read(env.Roadstead.Controller().Log()))

	var stored strings.Builder
	require.NoError(t, filepath.WalkDir(filepath.Join(filepath.Dir(env.Roadstead.APIServer().Log()), "etcd"),
		func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				text, err := os.ReadFile(path)
				requireHidden(t, path, text)
				stored.Write(text)
				return err
			}
			return err
		}))
	assert.Contains(t, stored.String(), "/users/")
	assert.Contains(t, stored.String(), "k8s:enc:roadstead:v1:")

	events, err := env.Admin.EventsV1().Events("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, events.Items)
	for i := range events.Items {
		requireHidden(t, "an event", []byte(events.Items[i].String()))
	}
}
