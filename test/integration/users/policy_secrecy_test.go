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

// copies is the expression by which the policies of these tests try to read the password, and the
// manifest in which kubectl apply stores it.
const copies = `(has(object.spec.password) ? object.spec.password : "nothing") + " and " +
	(has(object.metadata.annotations) && "kubectl.kubernetes.io/last-applied-configuration" in object.metadata.annotations ?
		object.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"] : "no annotation")`

// usersOf matches the creates and updates of Users in one namespace.
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

// TestNoMutatingPolicyCopiesAPassword verifies mutating policies of the cluster. They process Users
// before Roadstead's admission has prepared them, and could copy values to fields that are readable
// for everybody.
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
		// The response is 503 until the schemas of Roadstead's resources are loaded, which is
		// retried every five seconds.
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

// TestNoValidatingPolicyRecordsAPassword verifies that a validating policy, which can write values
// to the audit log and to warnings, does not see a password.
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
	// The audit log is searched for passwords at the end. Here it must contain the annotation of
	// the policy.
	tm.await("the audit log", func() error {
		log, err := os.ReadFile(auditLog)
		if err == nil && !strings.Contains(string(log), "recorded: nothing and {") {
			err = errors.New("no annotation of the policy")
		}
		return err
	})
}
