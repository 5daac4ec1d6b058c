// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// person creates a user with a ClusterRole in the entire cluster.
func person(t *testing.T, clusterRole string) *framework.User {
	t.Helper()
	u := env.User(t, env.Namespace(t), "")
	bindCluster(t, u, clusterRole)
	await(t, u, "list", "operators")
	return u
}

// bindCluster binds a ClusterRole to a user in the entire cluster.
func bindCluster(t *testing.T, u *framework.User, clusterRole string) {
	t.Helper()
	_, err := env.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: env.Name("release")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: u.Namespace, Name: u.Account}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// grant grants a user one more rule in the entire cluster.
func grant(t *testing.T, u *framework.User, rule rbacv1.PolicyRule) {
	t.Helper()
	name := env.Name("more")
	_, err := env.Admin.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules: []rbacv1.PolicyRule{rule}}, metav1.CreateOptions{})
	require.NoError(t, err)
	bindCluster(t, u, name)
	await(t, u, rule.Verbs[0], rule.Resources[0])
}

func await(t *testing.T, u *framework.User, verb, resource string) {
	t.Helper()
	resource, subresource, _ := strings.Cut(resource, "/")
	env.AwaitAccess(t, u.Name(), authorizationv1.ResourceAttributes{Verb: verb, Group: "release.roadstead.dev", Resource: resource,
		Subresource: subresource})
}

// admin runs kubectl as the administrator and requires success.
func admin(t *testing.T, args ...string) string {
	t.Helper()
	out, _, err := env.Cluster.Kubectl(t.Context(), args...)
	require.NoError(t, err)
	return out
}

// adminIn runs kubectl as the administrator with a manifest and requires success.
func adminIn(t *testing.T, stdin string, args ...string) {
	t.Helper()
	_, _, err := env.TryKubectl(t, stdin, args...)
	require.NoError(t, err)
}

// mayBypass grants a user the verb bypass.
func mayBypass(t *testing.T, u *framework.User) {
	t.Helper()
	grant(t, u, rbacv1.PolicyRule{APIGroups: []string{"release.roadstead.dev"}, Resources: []string{"approvals"}, Verbs: []string{"bypass"}})
}

// operator returns the manifest of an Operator with a policy for breaking changes.
func operator(name, policy string, spec ...string) string {
	return object("Operator", name, append([]string{
		"chart: {repository: https://charts.example.com, name: " + name + "}", "namespace: operators", "crdPolicy: {breaking: " + policy + "}",
	}, spec...)...)
}

// version returns the manifest of an OperatorVersion whose CRDSchemas are created by users.
func version(operator, number string) string {
	return object("OperatorVersion", operator+"-"+number, "operatorRef: {name: "+operator+"}", "version: "+number, "crdSource: Manual")
}

// object returns a manifest with the given lines of spec.
func object(kind, name string, spec ...string) string {
	return fmt.Sprintf("apiVersion: release.roadstead.dev/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec:\n  %s\n---\n", kind, name,
		strings.Join(spec, "\n  "))
}

// definition returns a CustomResourceDefinition of a group whose widgets have a size of at most
// limit. A lower limit is a breaking change.
func definition(group string, limit int) string {
	return fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.%[1]s,
	  creationTimestamp: null},
    spec: {group: %[1]s, scope: Namespaced, names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList},
    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object,
    properties: {size: {type: integer, maximum: %[2]d}, count: {type: integer, maximum: %[2]d}}}}}}}]},
    status: {acceptedNames: {plural: "", kind: ""}, conditions: [], storedVersions: []}}`, group, limit)
}

// schema returns the manifest of the CRDSchema of a version.
func schema(version, group string, limit int, spec ...string) string {
	return object("CRDSchema", version+".widgets."+group, append([]string{"operatorVersionRef: {name: " + version + "}", "definition: " +
		definition(group, limit)}, spec...)...)
}

// byHand returns the manifest of a CRDSchema without a version.
func byHand(name, group string, limit int, spec ...string) string {
	return object("CRDSchema", name, append([]string{"definition: " + definition(group, limit)}, spec...)...)
}

// asking adds the annotation that requests an approval to a manifest.
func asking(manifest, reason string) string {
	return strings.Replace(manifest, "metadata: {", `metadata: {annotations: {roadstead.dev/request-approval: "`+reason+`"}, `, 1)
}

// field returns one field of an object.
func field(t *testing.T, u *framework.User, resource, name, path string) string {
	t.Helper()
	return u.Kubectl(t, "get", resource, name, "-o", "jsonpath={"+path+"}")
}

// rows returns the cells of a table printed by kubectl.
func rows(table string) [][]string {
	var found [][]string
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		found = append(found, strings.Fields(line))
	}
	return found
}
