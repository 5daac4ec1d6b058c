// SPDX-License-Identifier: Apache-2.0

//go:build integration

package operators

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/framework"
)

// applicant is a user with the ClusterRole roadstead:release-operator and edit in one namespace.
type applicant struct {
	*framework.User
	t *testing.T
	// operator is the Operator whose versions must not become Ready. Its CRDs are in group.
	operator, group string
}

func newApplicant(t *testing.T, operator string) applicant {
	t.Helper()
	u := env.User(t, env.Namespace(t), "edit")
	_, err := env.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: env.Name("applicant")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "roadstead:release-operator"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: u.Namespace, Name: u.Account}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	env.AwaitAccess(t, u.Name(), authorizationv1.ResourceAttributes{Verb: "create", Group: "release.roadstead.dev",
		Resource: "operatorversions"})
	return applicant{User: u, t: t, operator: operator, group: operator + ".example.com"}
}

// refused runs kubectl, requires that it fails with the given text, and logs the output.
func (a applicant) refused(text, stdin string, args ...string) {
	a.t.Helper()
	answer := a.KubectlFails(a.t, stdin, args...)
	a.t.Logf("kubectl %s: %s", strings.Join(args, " "), strings.TrimSpace(answer))
	require.Contains(a.t, answer, text)
}

// notReady creates an OperatorVersion and requires that its condition Ready is False with a reason.
func (a applicant) notReady(number, reason string) string {
	a.t.Helper()
	name := a.operator + "-" + strings.ReplaceAll(number, "+", "-")
	a.KubectlIn(a.t, manifest("OperatorVersion", name, "operatorRef: {name: "+a.operator+"}", "version: "+number), "apply", "-f", "-")
	message := says(a.t, "operatorversion/"+name, "Ready", "False "+reason)
	a.t.Logf("OperatorVersion %s: %s: %s", name, reason, message)
	return name
}

// schemaName returns the name of the CRDSchema of widgets in a version.
func (a applicant) schemaName(number string) string {
	return a.operator + "-" + number + ".widgets." + a.group
}

// schema returns the manifest of a CRDSchema of widgets.
func (a applicant) schema(name, fields string, spec ...string) string {
	encoded, err := yaml.YAMLToJSON([]byte(definition("widgets", a.group, fields)))
	require.NoError(a.t, err)
	return manifest("CRDSchema", name, append(spec, "definition: "+string(encoded))...)
}

func manifest(kind, name string, spec ...string) string {
	return fmt.Sprintf("apiVersion: release.roadstead.dev/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec:\n  %s\n", kind, name,
		strings.Join(spec, "\n  "))
}

func TestBreakingChange_IsNotReadyWithoutAnApprover(t *testing.T) {
	repository, name := newRepository(t), env.Name("evasion")
	hiding := chart(name, "2.3.0", sized)
	hiding.Files["templates/gadgets.yaml"] = "{{ if not .Values.hide }}\n" + hiding.Files["templates/gadgets.yaml"] + "\n{{ end }}"
	charts := []chartrepo.Chart{chart(name, "1.0.0", sized), chart(name, "1.1.0", extended), hiding}
	for _, number := range []string{"1.1.0+build", "1.5.0", "2.0.0", "2.0.1", "2.1.0", "2.2.0"} {
		charts = append(charts, chart(name, number, narrowed))
	}
	for _, one := range charts {
		add(t, repository, one)
	}
	a := newApplicant(t, name)
	a.KubectlIn(t, operator(name, repository.URL()), "apply", "-f", "-")
	for _, number := range []string{"1.0.0", "1.1.0"} {
		a.KubectlIn(t, manifest("OperatorVersion", name+"-"+number, "operatorRef: {name: "+name+"}", "version: "+number), "apply", "-f", "-")
		ready(t, "operatorversion/"+name+"-"+number)
	}

	breaking := a.notReady("2.0.0", "AwaitingApproval")
	pending := a.schemaName("2.0.0")
	t.Run("own decision", func(t *testing.T) { a.with(t).decides(pending) })
	t.Run("status", func(t *testing.T) { a.with(t).writesStatus(breaking, pending) })
	t.Run("policy", func(t *testing.T) { a.with(t).weakensPolicy(repository.URL()) })
	t.Run("baseline", func(t *testing.T) { a.with(t).choosesBaseline(pending) })
	t.Run("version", func(t *testing.T) { a.with(t).choosesVersion() })
	t.Run("second Operator", func(t *testing.T) { a.with(t).createsSecondOperator(repository.URL()) })
	t.Run("evidence", func(t *testing.T) { a.with(t).removesEvidence() })
	t.Run("values", func(t *testing.T) { a.with(t).hidesCRD() })

	for _, number := range []string{"2.0.0", "2.0.1", "2.1.0", "2.2.0", "2.3.0"} {
		require.NotEqual(t, "True", kubectl(t, "", "get", "operatorversion", name+"-"+number, "-o",
			`jsonpath={.status.conditions[?(@.type=="Ready")].status}`), number)
	}
	t.Run("history", func(t *testing.T) { a.with(t).shortensHistory() })
}

func (a applicant) with(t *testing.T) applicant {
	a.t = t
	return a
}

// decides tries to approve the pending change, as itself and as the controller.
func (a applicant) decides(pending string) {
	approval := approvalOf(a.t, pending)
	decision := `{"apiVersion":"release.roadstead.dev/v1alpha1","kind":"ApprovalDecision","reason":"I want it"}`
	path := "/apis/release.roadstead.dev/v1alpha1/approvals/" + approval + "/approve"
	a.refused("Forbidden", decision, "create", "--raw", path, "-f", "-")
	a.refused("cannot impersonate", decision, "--as=system:serviceaccount:roadstead-system:roadstead-controller", "create",
		"--raw", path, "-f", "-")
	a.refused("cannot create resource \"serviceaccounts/token\"", "", "create", "token", "roadstead-controller", "-n", "roadstead-system")
	uid := kubectl(a.t, "", "get", "crdschema", pending, "-o", "jsonpath={.metadata.uid}")
	a.refused("cannot create resource \"approvals\"", manifest("Approval", "mine", "subject: {kind: CRDSchema, name: "+pending+", uid: "+uid+
		"}", "type: BreakingCRDChange"), "create", "-f", "-")
	a.refused("cannot delete resource \"approvals\"", "", "delete", "approval", approval)
}

// writesStatus tries to write the statuses that the server and the controller report.
func (a applicant) writesStatus(breaking, pending string) {
	approved := `{"status":{"approval":"Approved","phase":"Ready","createdBy":"system:serviceaccount:roadstead-system:roadstead-controller"}}`
	a.refused("in API group \"release.roadstead.dev\"", "", "patch", "crdschema", pending, "--subresource=status",
		"--type=merge", "-p", approved)
	a.refused("in API group \"release.roadstead.dev\"", "", "patch", "operatorversion", breaking, "--subresource=status",
		"--type=merge", "-p", approved)
	// The main resource ignores the status.
	a.Kubectl(a.t, "patch", "crdschema", pending, "--type=merge", "-p", approved)
	require.Equal(a.t, "Pending", kubectl(a.t, "", "get", "crdschema", pending, "-o", "jsonpath={.status.approval}"))
	a.refused("immutable", "", "patch", "operatorversion", breaking, "--type=merge", "-p", `{"spec":{"crdSource":"Manual"}}`)
	a.refused("immutable", "", "patch", "crdschema", pending, "--type=merge", "-p", `{"spec":{"againstRef":{"name":"`+pending+`"}}}`)
}

// weakensPolicy tries to let breaking changes pass by changing the policy.
func (a applicant) weakensPolicy(repository string) {
	const needed = `needs the RBAC verb "bypass" on approvals.release.roadstead.dev`
	a.refused(needed, "", "patch", "operator", a.operator, "--type=merge", "-p", `{"spec":{"crdPolicy":{"breaking":"Warn"}}}`)
	a.refused(needed, operator(a.operator+"-too", repository, "crdPolicy: {breaking: Warn}"), "apply", "-f", "-")
	a.refused(needed, manifest("OperatorVersion", a.operator+"-2.9.0", "operatorRef: {name: "+a.operator+"}", "version: 2.9.0",
		"crdSource: Manual"), "apply", "-f", "-")
	a.refused(needed, "", "patch", "operator", a.operator, "--type=merge", "--dry-run=server", "-p",
		`{"spec":{"crdPolicy":{"breaking":"Warn"}}}`)
}

// choosesBaseline tries to choose the CRD that is the baseline of the comparison.
func (a applicant) choosesBaseline(pending string) {
	a.refused("Pending", a.schema("laundered", narrowed, "againstRef: {name: "+pending+"}"), "create", "-f", "-")
	a.refused("created by the controller", a.schema(pending, narrowed, "operatorVersionRef: {name: "+a.operator+"-2.0.0}"), "create", "-f",
		"-")

	// A CRDSchema without a version, with the name that a lower version would have.
	a.KubectlIn(a.t, a.schema(a.schemaName("1.5.0"), narrowed), "create", "-f", "-")
	a.notReady("2.1.0", "AwaitingApproval")
	a.notReady("1.5.0", "SchemaNameTaken")

	// A harmless CRDSchema with the name of the chart's, created before its version and with its
	// owner reference.
	planted := a.schemaName("2.2.0")
	a.KubectlIn(a.t, a.schema(planted, extended, "operatorVersionRef: {name: "+a.operator+"-2.2.0}"), "create", "-f", "-")
	version := a.notReady("2.2.0", "SchemaNameTaken")
	owner := fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":"release.roadstead.dev/v1alpha1","kind":"OperatorVersion",`+
		`"name":%q,"uid":%q,"controller":true}]}}`,
		version, kubectl(a.t, "", "get", "operatorversion", version, "-o", "jsonpath={.metadata.uid}"))
	a.Kubectl(a.t, "patch", "crdschema", planted, "--type=merge", "-p", owner)
	a.Kubectl(a.t, "annotate", "operatorversion", version, "again=1")
	says(a.t, "operatorversion/"+version, "Ready", "False SchemaNameTaken")
}

// choosesVersion tries version numbers that have no predecessor, or another predecessor.
func (a applicant) choosesVersion() {
	a.notReady("1.1.0+build", "AwaitingApproval")
	a.notReady("2.0.1", "AwaitingApproval")
	a.refused("spec.version", "", "patch", "operatorversion", a.operator+"-2.0.1", "--type=merge", "-p", `{"spec":{"version":"0.0.1"}}`)
}

// createsSecondOperator tries to introduce the breaking CRD as the first version of another
// Operator.
func (a applicant) createsSecondOperator(repository string) {
	second := a
	second.operator = a.operator + "-second"
	a.KubectlIn(a.t, manifest("Operator", second.operator, "namespace: default", fmt.Sprintf("chart: {repository: %q, name: %s}",
		repository, a.operator)),
		"apply", "-f", "-")
	second.notReady("2.0.0", "AwaitingApproval")
}

// removesEvidence tries to delete all baselines.
func (a applicant) removesEvidence() {
	const needed = `needs the RBAC verb "bypass"`
	accepted := a.operator + "-1.1.0"
	a.refused(needed, "", "delete", "crdschema", a.schemaName("1.1.0"))
	a.refused(needed, "", "delete", "operatorversion", accepted)
	a.refused(needed, "", "delete", "operatorversions", "--field-selector=spec.operatorRef.name="+a.operator, "--wait=false")
	a.refused(needed, "", "delete", "operator", a.operator)
	a.refused(needed, "", "delete", "crdschema", a.schemaName("1.1.0"), "--dry-run=server")
	// The garbage collector honors owner references, but does not grant the applicant more rights.
	a.Kubectl(a.t, "patch", "crdschema", a.schemaName("1.1.0"), "--type=merge", "-p",
		`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none","uid":"00000000-0000-0000-0000-000000000000"}]}}`)
	// The versions that deletecollection can delete can be created again and have the same result.
	a.notReady("2.0.0", "AwaitingApproval")
	a.notReady("2.1.0", "AwaitingApproval")
	a.notReady("2.0.1", "AwaitingApproval")
	name := a.operator + "-2.2.0"
	a.KubectlIn(a.t, manifest("OperatorVersion", name, "operatorRef: {name: "+a.operator+"}", "version: 2.2.0"), "apply", "-f", "-")
}

// hidesCRD tries to exclude a breaking CRD with the chart values.
func (a applicant) hidesCRD() {
	a.Kubectl(a.t, "patch", "operator", a.operator, "--type=merge", "-p", `{"spec":{"values":{"hide":true}}}`)
	a.notReady("2.3.0", "BreakingRefused")
}

// shortensHistory tries to make the controller delete older versions. The controller deletes only
// versions that it discovered, so the baseline of the comparison remains as well.
func (a applicant) shortensHistory() {
	a.Kubectl(a.t, "patch", "operator", a.operator, "--type=merge", "-p", `{"spec":{"versionHistoryLimit":1}}`)
	generation := kubectl(a.t, "", "get", "operator", a.operator, "-o", "jsonpath={.metadata.generation}")
	kubectl(a.t, "", "wait", "operator/"+a.operator, "--for=jsonpath={.status.observedGeneration}="+generation, "--timeout=60s")
	kubectl(a.t, "", "get", "operatorversion", a.operator+"-1.1.0", a.operator+"-2.0.0")
	kubectl(a.t, "", "get", "crdschema", a.schemaName("1.1.0"))
}
