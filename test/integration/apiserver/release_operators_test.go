// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

func TestAnOperatorIsApplied(t *testing.T) {
	t.Parallel()
	for mode, flags := range map[string][]string{"client side": nil, "server side": {"--server-side"}} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			u, name := person(t, "roadstead:release-operator"), env.Name("op")
			apply := func(spec ...string) string {
				u.KubectlIn(t, operator(name, "Deny", spec...), append([]string{"apply", "-f", "-"}, flags...)...)
				return field(t, u, "operators", name, ".metadata.resourceVersion")
			}
			values := []string{"values: {b: {c: 1, d: null}, a: [1]}", "environmentValues: {Production: {replicas: 3}}"}
			first := apply(values...)
			require.Equal(t, first, apply(values...), "the same manifest again changed the object")
			require.Empty(t, u.KubectlIn(t, operator(name, "Deny", values...), append([]string{"diff", "-f", "-"}, flags...)...))
			require.Equal(t, name+" None 20 Deny", field(t, u, "operators", name,
				".spec.releaseName}{' '}{.spec.chart.discover}{' '}{.spec.versionHistoryLimit}{' '}{.spec.crdPolicy.breaking"))
			apply("values: {b: {c: 2}}")
			require.JSONEq(t, `{"b":{"c":2}}`, field(t, u, "operators", name, ".spec.values"))
			require.Empty(t, field(t, u, "operators", name, ".spec.environmentValues"))
			require.Equal(t, "2", field(t, u, "operators", name, ".metadata.generation"))
		})
	}
}

func TestWhatIsWrongWithAnOperatorIsToldAtOnce(t *testing.T) {
	t.Parallel()
	u := person(t, "roadstead:release-operator")
	problems := u.KubectlFails(t, object("Operator", env.Name("wrong"),
		"chart: {repository: 'https://robot:geheim@charts.example.com', name: a/b, discover: Some}", "namespace: No_Name",
		"values: [1]", "environmentValues: {Test: {}}", "crdPolicy: {breaking: Never}", "versionHistoryLimit: 0",
		"valuesFrom: [{secretRef: {namespace: team, name: values, key: a/b}}]"), "apply", "-f", "-")
	for _, cause := range []string{
		"spec.chart.repository: Invalid value: \"<hidden>\": must not hold credentials", "spec.chart.name: Invalid value: \"a/b\"",
		"spec.chart.discover: Invalid value: \"Some\"",
		"spec.namespace: Invalid value: \"No_Name\"", "spec.values: Invalid value: must be an object",
		"spec.environmentValues: Unsupported value: \"Test\"",
		"spec.crdPolicy.breaking: Unsupported value: \"Never\"",
		"spec.versionHistoryLimit: Invalid value: 0: must be greater than or equal to 1",
		"spec.valuesFrom[0].secretRef.key: Invalid value: \"a/b\"",
	} {
		assert.Contains(t, problems, cause)
	}
	assert.NotContains(t, problems, "geheim")
	require.Contains(t, u.KubectlFails(t, object("Operator", env.Name("strict"), "charts: {}"), "apply", "-f", "-"),
		`unknown field "spec.charts"`)
	long := "an-operator-whose-name-has-more-characters-than-helm-takes"
	require.Contains(t, u.KubectlFails(t, operator(long, "Deny"), "apply", "-f", "-"),
		"spec.releaseName: Required value: metadata.name cannot be the name of the Helm release")
	u.KubectlIn(t, operator(long, "Deny", "releaseName: short"), "apply", "-f", "-")

	name := env.Name("fixed")
	u.KubectlIn(t, operator(name, "Deny"), "apply", "-f", "-")
	for path, patch := range map[string]string{
		"spec.namespace": `{"spec":{"namespace":"other"}}`, "spec.releaseName": `{"spec":{"releaseName":"other"}}`,
		"spec.chart.repository": `{"spec":{"chart":{"repository":"https://other.example.com"}}}`,
		"spec.chart.name":       `{"spec":{"chart":{"name":"other"}}}`,
	} {
		assert.Regexp(t, path+": Invalid value: .*immutable", u.KubectlFails(t, "", "patch", "operators", name, "--type=merge", "-p", patch))
	}
	u.Kubectl(t, "patch", "op", name, "--type=merge", "-p", `{"status":{"latestVersion":"v9"}}`)
	require.Empty(t, field(t, u, "op", name, ".status.latestVersion"), "the status is not the user's")
}

// TestSecretsOfAnOperatorAreTheAuthors verifies that a reference to a Secret requires the right to
// read it, because the controller can read any Secret.
func TestSecretsOfAnOperatorAreTheAuthors(t *testing.T) {
	t.Parallel()
	u := person(t, "roadstead:release-operator")
	_, err := env.Admin.CoreV1().Secrets(u.Namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "mine"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	name := env.Name("secret")
	credentials := func(secret string) string {
		return object("Operator", name, "chart: {repository: https://charts.example.com, name: a, credentialsSecretRef: {namespace: "+
			u.Namespace+", name: "+secret+"}}", "namespace: operators")
	}
	values := operator(name, "Deny", "valuesFrom: [{secretRef: {namespace: "+u.Namespace+", name: mine}}]")
	require.Contains(t, u.KubectlFails(t, credentials("mine"), "apply", "-f", "-"),
		`spec.chart.credentialsSecretRef: you may not get Secret "mine" in namespace "`+u.Namespace+`"`)
	require.Contains(t, u.KubectlFails(t, values, "apply", "--server-side", "-f", "-"),
		`spec.valuesFrom[0].secretRef: you may not get Secret "mine"`)
	env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"},
		ResourceNames: []string{"mine"}, Verbs: []string{"get"}})
	framework.Await(t, "the server to learn of the right", func() error {
		_, _, err := env.Cluster.Kubectl(t.Context(), "auth", "can-i", "get", "secret/mine", "-n", u.Namespace, "--as", u.Name())
		return err
	})
	framework.Await(t, "the refusal to be forgotten", func() error { return u.TryKubectl(t, credentials("mine"), "apply", "-f", "-") })
	require.Contains(t, u.KubectlFails(t, credentials("other"), "apply", "-f", "-"), `you may not get Secret "other"`, "also when it changes")
}

func TestTablesOfOperators(t *testing.T) {
	t.Parallel()
	u, name := person(t, "roadstead:release-operator"), env.Name("shown")
	mayBypass(t, u)
	u.KubectlIn(t, operator(name, "Warn"), "apply", "-f", "-")
	u.KubectlIn(t, version(name, "1.0.0"), "apply", "-f", "-")
	table := rows(u.Kubectl(t, "get", "op", name, "-o", "wide"))
	require.Equal(t, []string{"NAME", "CHART", "NAMESPACE", "VERSIONS", "LATEST", "BREAKING", "PHASE", "REPOSITORY", "RELEASE", "DISCOVER",
		"REASON", "AGE"}, table[0])
	require.Equal(t, []string{name, name, "operators", "0", "<none>", "Warn", "Pending", "https://charts.example.com", name, "None",
		"Pending"}, table[1][:11])
	require.Equal(t, []string{"NAME", "CHART", "NAMESPACE", "VERSIONS", "LATEST", "BREAKING", "PHASE", "AGE"},
		rows(u.Kubectl(t, "get", "operators", name))[0])
	table = rows(u.Kubectl(t, "get", "opv", name+"-1.0.0", "-o", "wide"))
	require.Equal(t, []string{name + "-1.0.0", name, "1.0.0", "0", "<none>", "<none>", "Pending", "1.0.0", "Manual", u.Name(), u.Name(),
		"Pending"}, table[1][:12])
	require.Contains(t, u.Kubectl(t, "describe", "op", name), "Repository:  https://charts.example.com")
	all := admin(t, "get", "roadstead", "-A")
	require.Contains(t, all, "operator.release.roadstead.dev/"+name)
	require.Contains(t, all, "operatorversion.release.roadstead.dev/"+name+"-1.0.0")
	require.NotContains(t, all, "crdschema.release.roadstead.dev/")
	u.Kubectl(t, "delete", "operators", name)
}
