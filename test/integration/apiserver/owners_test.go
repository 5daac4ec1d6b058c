// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

// TestOwnerReferences verifies that changes of owner references require the right to delete the
// object, and that blockOwnerDeletion requires the right to update the finalizers of the owner. The
// owners are of this server, of the cluster, and of an unknown kind.
func TestOwnerReferences(t *testing.T) {
	t.Parallel()
	namespace := env.Namespace(t)
	privileged, editor, writer := env.User(t, namespace, "edit"), limited(t, namespace), env.User(t, namespace, "")
	domains := func(verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{"takaro.roadstead.dev"}, Resources: []string{"domains"}, Verbs: verbs}
	}
	env.Grant(t, writer, domains("create", "get", "update", "patch"))
	owner := created(t, privileged, newDomain("owner"))
	created(t, privileged, newDomain("owned"))
	patch := func(apiVersion, kind string, block bool) []string {
		return []string{"patch", "domains.takaro.roadstead.dev", "owned", "--type=merge", "-p", fmt.Sprintf(
			`{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":"owner","uid":%q,"blockOwnerDeletion":%t}]}}`,
			apiVersion, kind, owner.UID, block)}
	}
	const version = "takaro.roadstead.dev/v1alpha1"

	problems := writer.KubectlFails(t, "", patch(version, "Domain", false)...)
	require.Contains(t, problems,
		"is forbidden: metadata.ownerReferences: a change of the owners can delete this object; request the RBAC verb delete on "+
			"domains.takaro.roadstead.dev")
	editor.KubectlIn(t, "", patch(version, "Domain", false)...)
	problems = editor.KubectlFails(t, "", patch(version, "Domain", true)...)
	require.Contains(t, problems,
		`blockOwnerDeletion can delay the deletion of Domain "owner"; request the RBAC verb update on domains/finalizers.takaro.roadstead.dev`)
	problems = editor.KubectlFails(t, "", patch("apps/v1", "Deployment", true)...)
	require.Contains(t, problems, `Deployment "owner"; request the RBAC verb update on deployments/finalizers.apps`)
	problems = editor.KubectlFails(t, "", patch("nowhere.example/v1", "Thing", true)...)
	require.Contains(t, problems, `Thing "owner", but its resource cannot be determined`)
	writer.KubectlIn(t, "", "label", "domains.takaro.roadstead.dev", "owned", "owners=unchanged")

	// Owners of a new object do not require the right to delete the object, but blockOwnerDeletion
	// requires the right on the owner.
	create := func(name string, block bool) string {
		return fmt.Sprintf("{apiVersion: %s, kind: Domain, metadata: {name: %s, ownerReferences: [{apiVersion: %s, kind: Domain, "+
			"name: owner, uid: %s, blockOwnerDeletion: %t}]}, spec: {takaroApiUrl: %q}}",
			version, name, version, owner.UID, block, address)
	}
	writer.KubectlIn(t, create("not-blocking", false), "create", "-f", "-")
	problems = writer.KubectlFails(t, create("blocking", true), "create", "-f", "-")
	require.Contains(t, problems, `blockOwnerDeletion can delay the deletion of Domain "owner"`)

	finalizer := limited(t, namespace)
	env.Grant(t, finalizer,
		rbacv1.PolicyRule{APIGroups: []string{"takaro.roadstead.dev"}, Resources: []string{"domains/finalizers"},
			Verbs: []string{"update"}})
	finalizer.KubectlIn(t, create("blocking", true), "create", "-f", "-")
	finalizer.KubectlIn(t, "", patch(version, "Domain", true)...)
}
