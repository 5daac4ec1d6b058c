// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

const needsBypass = `needs the RBAC verb "bypass" on approvals.release.roadstead.dev`

// TestAgainstRef_IsNotTheApplicantsChoice verifies that a release operator cannot choose the
// baseline of the comparison: neither a pending CRDSchema nor one created for the purpose.
func TestAgainstRef_IsNotTheApplicantsChoice(t *testing.T) {
	t.Parallel()
	u, name, group := line(t, "RequireApproval")
	adminIn(t, version(name, "1.2.0"), "apply", "-f", "-")
	u.KubectlIn(t, asking(schema(name+"-1.1.0", group, 4), "because"), "apply", "-f", "-")
	pending := "againstRef: {name: " + name + "-1.1.0.widgets." + group + "}"
	for _, args := range [][]string{{"create"}, {"apply"}, {"apply", "--server-side"}, {"create", "--dry-run=server"}} {
		require.Contains(t, u.KubectlFails(t, schema(name+"-1.2.0", group, 4, pending), append(args, "-f", "-")...),
			`spec.againstRef.name: Invalid value: "`+name+`-1.1.0.widgets.`+group+`": is not accepted (status.approval is "Pending")`, args)
	}
	u.KubectlIn(t, byHand(name, group, 4), "apply", "-f", "-")
	chosen := schema(name+"-1.2.0", group, 4, "againstRef: {name: "+name+"}")
	problems := u.KubectlFails(t, chosen, "apply", "-f", "-")
	require.Contains(t, problems, "[BaselineChosen B] spec.againstRef names CRDSchema "+name+", but the version follows CRDSchema "+
		name+"-1.0.0.widgets."+group)
	require.Regexp(t, `spec.definition\[v1\].spec.size: Forbidden: \[CRD-\w+ B\]`, problems)
	require.Contains(t, problems, "metadata.annotations[roadstead.dev/request-approval]: Required value")
	u.KubectlIn(t, asking(chosen, "because"), "apply", "-f", "-")
	require.Equal(t, "B 3 Pending AwaitingApproval AwaitingApproval "+name+"-1.0.0.widgets."+group,
		field(t, u, "crdschema", name+"-1.2.0.widgets."+group, outcome))
}

// TestChartVersions_OnlyTheControllerCreatesCRDSchemas verifies that not even an administrator can
// create the CRDSchema of a chart.
func TestChartVersions_OnlyTheControllerCreatesCRDSchemas(t *testing.T) {
	t.Parallel()
	u, name := person(t, "roadstead:release-operator"), env.Name("chart")
	group := name + ".example.com"
	u.KubectlIn(t, operator(name, "Deny")+object("OperatorVersion", name+"-1.0.0", "operatorRef: {name: "+name+"}", "version: 1.0.0"),
		"apply", "-f", "-")
	problems := u.KubectlFails(t, schema(name+"-1.0.0", group, 5), "apply", "-f", "-")
	require.Contains(t, problems, "spec.operatorVersionRef.name: Forbidden: CRDSchemas of OperatorVersion "+name+
		"-1.0.0 are created by the controller from the chart")
	_, problems, err := env.Cluster.Kubectl(t.Context(), "create", "--dry-run=server", "-f",
		framework.File(t, "schema.yaml", schema(name+"-1.0.0", group, 5), 0o600))
	require.Error(t, err)
	require.Contains(t, problems, "are created by the controller from the chart")
}

// TestBypass_IsWhatAReleaseOperatorDoesNotHave verifies that a release operator, which requests
// approvals, cannot bypass them.
func TestBypass_IsWhatAReleaseOperatorDoesNotHave(t *testing.T) {
	t.Parallel()
	u, name, group := line(t, "RequireApproval")
	accepted, other := name+"-1.0.0.widgets."+group, env.Name("other")
	u.KubectlIn(t, operator(other, "Deny"), "apply", "-f", "-")
	u.KubectlIn(t, asking(schema(name+"-1.1.0", group, 4), "because"), "apply", "-f", "-")
	requests := map[string]struct {
		stdin string
		args  []string
		says  string
	}{
		"a manual version": {version(name, "3.0.0"), []string{"apply", "-f", "-"},
			"spec.crdSource: with Manual, users supply the CRDs of the version"},
		"a policy that warns": {operator(name+"-new", "Warn"), []string{"create", "-f", "-"},
			"spec.crdPolicy.breaking: Warn is less strict about breaking changes"},
		"applied": {operator(name+"-new", "Warn"), []string{"apply", "--server-side", "-f", "-"}, "spec.crdPolicy.breaking: Warn"},
		"a weaker policy": {"", []string{"patch", "operator", other, "--type=merge", "-p",
			`{"spec":{"crdPolicy":{"breaking":"RequireApproval"}}}`}, "spec.crdPolicy.breaking: RequireApproval"},
		"accepted evidence": {"", []string{"delete", "crdschema", accepted}, "later versions are compared with CRDSchema " + accepted},
		"many, with the field": {"", []string{"delete", "crdschemas", "--field-selector=metadata.name=" + accepted},
			"later versions are compared with CRDSchema " + accepted},
	}
	for what, tc := range requests {
		for _, more := range [][]string{nil, {"--dry-run=server"}} {
			problems := u.KubectlFails(t, tc.stdin, append(append([]string{}, tc.args...), more...)...)
			assert.Contains(t, problems, tc.says, what)
			assert.Contains(t, problems, needsBypass, what)
		}
	}
	forged := `[{"op":"add","path":"/metadata/ownerReferences","value":[{"apiVersion":"release.roadstead.dev/v1alpha1",` +
		`"kind":"OperatorVersion","name":"` + name + `-1.0.0","uid":"00000000-0000-0000-0000-000000000000"}]}]`
	u.Kubectl(t, "patch", "crdschema", accepted, "--type=json", "-p", forged)
	gone, _, err := env.Cluster.Kubectl(t.Context(), "delete", "crdschema", accepted, "--dry-run=server",
		"--as=system:serviceaccount:kube-system:generic-garbage-collector")
	require.Error(t, err, "the garbage collector believes what is forged: %s", gone)
	u.Kubectl(t, "patch", "crdschema", accepted, "--type=json", "-p", `[{"op":"remove","path":"/metadata/ownerReferences"}]`)
	u.Kubectl(t, "patch", "operator", other, "--type=merge", "-p", `{"spec":{"versionHistoryLimit":5}}`)
	u.Kubectl(t, "delete", "operator", other)
	u.Kubectl(t, "delete", "crdschema", name+"-1.1.0.widgets."+group)

	mayBypass(t, u)
	u.KubectlIn(t, version(name, "3.0.0")+operator(name+"-new", "Warn"), "apply", "-f", "-")
	u.Kubectl(t, "delete", "crdschema", accepted)
}

// TestBypass_ARevokedRightRefusesImmediately verifies that authorization decisions for bypass are
// not cached.
func TestBypass_ARevokedRightRefusesImmediately(t *testing.T) {
	t.Parallel()
	u, name := person(t, "roadstead:release-operator"), env.Name("revoked")
	bypass := rbacv1.PolicyRule{APIGroups: []string{"release.roadstead.dev"}, Resources: []string{"approvals"}, Verbs: []string{"bypass"}}
	role, err := env.Admin.RbacV1().ClusterRoles().Create(t.Context(),
		&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{bypass}}, metav1.CreateOptions{})
	require.NoError(t, err)
	bindCluster(t, u, role.Name)
	await(t, u, "bypass", "approvals")
	u.KubectlIn(t, operator(name, "Warn"), "create", "--dry-run=server", "-f", "-")
	require.NoError(t, env.Admin.RbacV1().ClusterRoles().Delete(t.Context(), role.Name, metav1.DeleteOptions{}))
	framework.Await(t, "kube-apiserver to learn of it", func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: u.Name(), ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "bypass", Group: "release.roadstead.dev",
				Resource: "approvals"},
		}}
		answer, err := env.Admin.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err == nil && answer.Status.Allowed {
			err = errors.New("still allowed")
		}
		return err
	})
	require.Contains(t, u.KubectlFails(t, operator(name, "Warn"), "create", "--dry-run=server", "-f", "-"), needsBypass)
}
