// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package approvals tests decisions about breaking changes of CustomResourceDefinitions, with
// kubectl and the shipped rights, on a real control plane with both programs.
package approvals

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env,
		// As in an installation with only the CRD guard.
		framework.WithController("--groups=release"),
		// A controller that is stopped during a request causes errors in the log of the server.
		framework.WithoutLogCheck(),
		framework.WithAfter(func(ctx context.Context, e *framework.Env) error { return people(ctx, e.Admin) }))
}

const group = "release.roadstead.dev"

// people creates the users: ann writes CRDSchemas and has the verb approve, bob and cleo approve,
// and dan and finn can send decisions but do not have the verb approve.
func people(ctx context.Context, admin kubernetes.Interface) error {
	write := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"crdschemas", "compatibilityreviews"},
		Verbs: []string{"get", "create", "delete"}}
	look := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"approvals"}, Verbs: []string{"get", "list", "watch"}}
	send := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"approvals/approve", "approvals/reject"},
		Verbs: []string{"create"}}
	approve := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"approvals"}, Verbs: []string{"approve"}}
	for name, rules := range map[string][]rbacv1.PolicyRule{
		"ann": {write, look, send, approve}, "bob": {look, send, approve}, "cleo": {look, send, approve}, "dan": {look, send}, "finn": {look,
			send},
	} {
		if _, err := admin.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "test:" + name},
			Rules: rules}, metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := admin.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "test:" + name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "test:" + name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
		}, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// admin is the administrator, without impersonation.
const admin = ""

// try runs kubectl as a user.
func try(t *testing.T, user, stdin string, args ...string) (out, problems string, err error) {
	t.Helper()
	if user != admin {
		args = append(args, "--as="+user)
	}
	return env.TryKubectl(t, stdin, args...)
}

// kubectl runs kubectl as a user, requires success and returns the output.
func kubectl(t *testing.T, user, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := try(t, user, stdin, args...)
	require.NoError(t, err)
	return out + problems
}

// refused runs kubectl as a user, requires a failure and returns the output.
func refused(t *testing.T, user, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := try(t, user, stdin, args...)
	require.Error(t, err, "it was not refused: %s", out)
	return problems
}

// field returns the field of an object at a jsonpath.
func field(t *testing.T, resource, name, path string) string {
	t.Helper()
	return kubectl(t, admin, "", "get", resource, name, "-o", "jsonpath={"+path+"}")
}

// awaitField waits for the value of a field.
func awaitField(t *testing.T, resource, name, path, want string) {
	t.Helper()
	framework.Await(t, path+" of "+name, func() error {
		out, _, err := try(t, admin, "", "get", resource, name, "-o", "jsonpath={"+path+"}")
		if err == nil && out != want {
			err = fmt.Errorf("it is %q, not %q", out, want)
		}
		return err
	})
}
