// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/framework"
)

// copies is what the policies of these tests try to get: the password, and the manifest in which kubectl apply keeps it.
const copies = `(has(object.spec.password) ? object.spec.password : "nothing") + " and " +
	(has(object.metadata.annotations) && "kubectl.kubernetes.io/last-applied-configuration" in object.metadata.annotations ?
		object.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] : "no annotation")`

// usersOf are the creates and updates of Users of one namespace.
func usersOf(namespace string) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": namespace}},
		ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{"CREATE", "UPDATE"},
			Rule: admissionregistrationv1.Rule{APIGroups: []string{"takaro.roadstead.dev"}, APIVersions: []string{"*"},
				Resources: []string{"users"}},
		}}},
	}
}

// A mutating policy of the cluster sees Users before our own rules have prepared them, and could copy what it sees to where
// everybody reads it.
func TestNoMutatingPolicyCopiesAPassword(t *testing.T) {
	tm := newTeam(t)
	policies, name := env.Admin.AdmissionregistrationV1(), tm.Namespace+"-copies"
	_, err := policies.MutatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      ptr.To(admissionregistrationv1.Fail),
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			MatchConstraints:   usersOf(tm.Namespace),
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType: admissionregistrationv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: `Object{
					metadata: Object.metadata{annotations: {"test.example/copied": ` + copies + `}},
					spec: Object.spec{dashboardUser: false}
				}`},
			}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = policies.MutatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	tm.await("the policy works", func() error {
		// 503 until the schemas of our kinds were read, which happens every five seconds.
		code, answer := request(t, tm.Config, http.MethodPost, tm.path("?dryRun=All"), asJSON, asJSON, userJSON("probe", password()))
		require.Contains(t, []int{http.StatusCreated, http.StatusServiceUnavailable}, code, "%s", answer)
		return framework.Unless(strings.Contains(string(answer), `"test.example/copied":"nothing and no annotation"`), "%s", answer)
	})

	first, second := password(), password()
	manifest := userManifest("copied", "nowhere", "copied@example.com", "password: "+first)
	tm.apply(manifest)
	user := tm.user("copied")
	assert.Contains(t, user.Annotations["test.example/copied"], "nothing and {")
	assert.Contains(t, user.Annotations["test.example/copied"], "copied@example.com", "the annotation is there, but for the password")
	requireHidden(t, "what the policy has copied", []byte(user.Annotations["test.example/copied"]))
	assert.False(t, *user.Spec.DashboardUser)
	assert.Equal(t, first, tm.givenPassword("copied"), "the policy does not lose it")
	code, answer := request(t, tm.Config, http.MethodPatch, tm.path("/copied"), mergePatch, asJSON, `{"spec":{"password":"`+second+`"}}`)
	require.Equal(t, http.StatusOK, code, "%s", answer)
	assert.Equal(t, second, tm.givenPassword("copied"))
	requireHidden(t, "what the policy has copied", []byte(tm.user("copied").Annotations["test.example/copied"]))
}

// A validating policy may write what it sees into the audit log, and into a warning.
func TestNoValidatingPolicyRecordsAPassword(t *testing.T) {
	tm := newTeam(t)
	policies, name := env.Admin.AdmissionregistrationV1(), tm.Namespace+"-records"
	_, err := policies.ValidatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy:    ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: usersOf(tm.Namespace),
			Variables:        []admissionregistrationv1.Variable{{Name: "copy", Expression: copies}},
			Validations:      []admissionregistrationv1.Validation{{Expression: "false", MessageExpression: `"seen: " + variables.copy`}},
			AuditAnnotations: []admissionregistrationv1.AuditAnnotation{{Key: "copy", ValueExpression: `"recorded: " + variables.copy`}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn,
				admissionregistrationv1.Audit},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	manifest := userManifest("recorded", "nowhere", "recorded@example.com", "password: "+password())
	var out string
	tm.await("the policy warns", func() error {
		out = tm.kubectl(manifest, "apply", "--dry-run=server", "-f", "-")
		return framework.Unless(strings.Contains(out, "seen: nothing and {"), "%s", out)
	})
	requireHidden(t, "the warning", []byte(out))
	assert.Contains(t, out, "recorded@example.com", "the annotation is there, but for the password")
	requireHidden(t, "the warning", []byte(tm.apply(manifest)))
	// That nothing is in the audit log is looked for at the end; that the policy wrote into it, here.
	tm.await("the audit log", func() error {
		log, err := os.ReadFile(auditLog)
		if err == nil && !strings.Contains(string(log), "recorded: nothing and {") {
			err = errors.New("no annotation of the policy")
		}
		return err
	})
}
