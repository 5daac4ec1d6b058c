// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// kubectlAs runs kubectl with another account of the namespace and returns both outputs.
func (tm *team) kubectlAs(kubeconfig, stdin string, args ...string) (string, error) {
	tm.T.Helper()
	out, problems, err := env.Cluster.KubectlAs(kubeconfig).WithStdin(strings.NewReader(stdin)).Run(tm.T.Context(), args...)
	return out + problems, err
}

// adopting returns the manifest of a User that adopts an existing user.
func adopting(name, domain string) string {
	return userManifest(name, domain, name+"@adopted.example", "adopt: true")
}

// editor returns an account that can edit Users but cannot read Secrets. It can also adopt if
// adopts is true.
func (tm *team) editor(name string, adopts bool) string {
	tm.T.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: tm.Namespace + "-" + name}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"takaro.roadstead.dev"}, Resources: []string{"users"}, Verbs: []string{"get", "list", "create",
			"update", "patch", "delete"},
	}}}
	verb := "create"
	if adopts {
		role.Rules[0].Verbs, verb = append(role.Rules[0].Verbs, "adopt"), "adopt"
	}
	_, err := env.Admin.RbacV1().ClusterRoles().Create(tm.T.Context(), role, metav1.CreateOptions{})
	require.NoError(tm.T, err)
	return tm.account(role.Name, verb).Kubeconfig
}

func TestUserAdoptionIsReviewed(t *testing.T) {
	tm := newTeam(t)
	tm.domain()
	plain, adopter := tm.editor("plain", false), tm.editor("adopter", true)

	// The Domain has its own credentials: a user that can get them can adopt.
	tm.kubectl(adopting("ann", "arena"), "create", "--dry-run=server", "-f", "-")
	out, err := tm.kubectlAs(plain, adopting("ann", "arena"), "create", "-f", "-")
	require.Error(t, err)
	assert.Contains(t, out, `request the RBAC verb "get" on Secret "takaro-admin", or request the RBAC verb "adopt" on `+
		`users.takaro.roadstead.dev`)
	// A Domain that does not exist yet could use the credentials of the installation.
	out = tm.kubectlFails(adopting("bob", "nowhere"), "create", "-f", "-")
	assert.Contains(t, out, `spec.adopt: create Domain "nowhere" with spec.credentialsSecretRef before the User, or request the `+
		`RBAC verb "adopt" on users`)
	_, err = tm.kubectlAs(adopter, adopting("bob", "nowhere"), "create", "-f", "-")
	require.NoError(t, err)

	// The User has the deletion policy Retain, and only a user that can adopt can change that.
	user := tm.user("bob")
	assert.EqualValues(t, "Retain", user.Spec.DeletionPolicy)
	change := []string{"patch", usersResource, "bob", "--type=merge", "-p", `{"spec":{"deletionPolicy":"Delete"}}`}
	out, err = tm.kubectlAs(plain, "", change...)
	require.Error(t, err)
	assert.Contains(t, out, "spec.deletionPolicy: the deletion would remove or disable objects")
	assert.Contains(t, out, `request the RBAC verb "adopt"`)
	label := []string{"patch", usersResource, "bob", "--type=merge", "-p", `{"metadata":{"labels":{"a":"b"}}}`}
	_, err = tm.kubectlAs(plain, "", label...)
	require.NoError(t, err, "the object stays writable for others")
	_, err = tm.kubectlAs(adopter, "", change...)
	require.NoError(t, err)

	// An update that enables adoption sets the deletion policy Retain and is authorized.
	tm.apply(userManifest("eve", "nowhere", "eve@adopted.example"))
	out, err = tm.kubectlAs(adopter, "", "patch", usersResource, "eve", "--type=merge", "-p", `{"spec":{"adopt":true}}`)
	require.Error(t, err)
	assert.Contains(t, out, "spec.deletionPolicy: Invalid value: \"Delete\": must be Retain in the change that turns on spec.adopt")
	begin := []string{"patch", usersResource, "eve", "--type=merge", "-p", `{"spec":{"adopt":true,"deletionPolicy":"Retain"}}`}
	out, err = tm.kubectlAs(plain, "", begin...)
	require.Error(t, err)
	assert.Contains(t, out, "spec.adopt")
	_, err = tm.kubectlAs(adopter, "", begin...)
	require.NoError(t, err)
	_, err = tm.kubectlAs(plain, "", "patch", usersResource, "eve", "--type=merge", "-p", `{"spec":{"adopt":false}}`)
	require.NoError(t, err)
}

// TestUserOfAnotherOwner verifies that a User owned by an object of another operator is deleted
// with that object.
func TestUserOfAnotherOwner(t *testing.T) {
	tm := newTeam(t)
	tm.domain()
	tm.kubectl("", "create", "configmap", "owner")
	uid := tm.kubectl("", "get", "configmap", "owner", "-o", "jsonpath={.metadata.uid}")
	manifest := userManifest("owned", "arena", "owned@"+tm.Namespace+".example")
	manifest = strings.Replace(manifest, "metadata: {name: owned}", fmt.Sprintf(
		"metadata: {name: owned, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: %s}]}", uid), 1)
	tm.apply(manifest)
	user := tm.awaitReady("owned")
	require.Len(t, user.OwnerReferences, 1)
	tm.kubectl("", "delete", "configmap", "owner")
	tm.await("the User is deleted with its owner", func() error {
		_, err := tm.Users().Get(t.Context(), "owned", metav1.GetOptions{})
		return framework.Unless(apierrors.IsNotFound(err), "%v", err)
	})
}

func TestUserLedgerIsTheControllers(t *testing.T) {
	tm := newTeam(t)
	tm.domain()
	tm.apply(userManifest("ada", "arena", "ada@"+tm.Namespace+".example"))
	before := tm.awaitReady("ada").Status.Ownership
	require.NotNil(t, before)
	for _, patch := range []string{
		`{"status":{"ownership":{"records":[]}}}`, `{"status":{"ownership":null}}`,
		`{"status":{"ownership":{"facts":{"password-accepted":"forged"}}}}`,
	} {
		out, err := tm.kubectlAs(env.Cluster.Kubeconfig(), "", "patch", usersResource, "ada", "-n", tm.Namespace, "--subresource=status",
			"--type=merge", "-p", patch)
		require.NoError(t, err, out)
		assert.Equal(t, before, tm.user("ada").Status.Ownership, patch)
	}
}
