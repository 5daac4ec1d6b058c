// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework/rights"
)

const (
	takaroGroup  = "takaro.roadstead.dev"
	releaseGroup = "release.roadstead.dev"
)

// nobody is an authenticated user without any role.
const nobody = "nobody"

// ours returns the shipped roles for users in the order of their file.
func ours(t *testing.T) []string {
	t.Helper()
	granted, err := rights.Load(checkout + "/artifacts/deploy/base")
	require.NoError(t, err)
	var roles []string
	for _, right := range granted {
		if strings.HasPrefix(right.Role, "roadstead:") && (len(roles) == 0 || roles[len(roles)-1] != right.Role) {
			roles = append(roles, right.Role)
		}
	}
	require.NotEmpty(t, roles)
	return roles
}

// all returns every role of the tables.
func all(t *testing.T) []string {
	t.Helper()
	return append(ours(t), "view", "edit", "admin", "cluster-admin", nobody)
}

// scope is the type of a binding of a role.
type scope string

const (
	byRoleBinding        scope = "RoleBinding"
	byClusterRoleBinding scope = "ClusterRoleBinding"
)

// user returns the name of the user with one role and one type of binding.
func user(role string, bound scope) string {
	return strings.ReplaceAll(role, ":", "-") + "-by-" + strings.ToLower(string(bound))
}

// bindings are two namespaces, and a user for each role and scope. RoleBindings are in the first
// namespace.
type bindings struct{ team, elsewhere string }

// bindAll creates users for all roles and scopes, and returns when their rights are effective.
func bindAll(t *testing.T) bindings {
	t.Helper()
	b := bindings{team: "team", elsewhere: "elsewhere"}
	for _, name := range []string{b.team, b.elsewhere} {
		_, err := env.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
			metav1.CreateOptions{})
		require.NoError(t, err)
	}
	for _, role := range all(t) {
		if role == nobody {
			continue
		}
		b.bindOne(t, role)
		for _, right := range known(role) {
			for _, bound := range []scope{byRoleBinding, byClusterRoleBinding} {
				// RBAC does not consider the scope of a resource: a RoleBinding is effective when a
				// review that names its namespace is allowed.
				right.Namespace = b.team
				env.AwaitAccess(t, user(role, bound), right)
			}
		}
	}
	return b
}

func (b bindings) bindOne(t *testing.T, role string) {
	t.Helper()
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}
	subject := func(bound scope) []rbacv1.Subject {
		return []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user(role, bound)}}
	}
	meta := metav1.ObjectMeta{Name: "test:" + role}
	_, err := env.Admin.RbacV1().RoleBindings(b.team).Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref,
		Subjects: subject(byRoleBinding)}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = env.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref,
		Subjects: subject(byClusterRoleBinding)}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// known returns rights that show that the cluster has processed an entire role: one right of each
// role that is aggregated into it.
func known(role string) []authorizationv1.ResourceAttributes {
	right := func(verb, resource, group string) authorizationv1.ResourceAttributes {
		return authorizationv1.ResourceAttributes{Verb: verb, Resource: resource, Group: group}
	}
	switch role {
	case "view":
		return []authorizationv1.ResourceAttributes{right("list", "domains", takaroGroup), right("list", "operators", releaseGroup)}
	case "edit", "admin":
		return []authorizationv1.ResourceAttributes{right("create", "domains", takaroGroup), right("list", "operators", releaseGroup)}
	}
	group := takaroGroup
	if strings.HasPrefix(role, "roadstead:release-") {
		group = releaseGroup
	}
	return []authorizationv1.ResourceAttributes{right("list", map[string]string{takaroGroup: "domains", releaseGroup: "operators"}[group],
		group)}
}

// refused requires that kubectl fails and returns its output.
func refused(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := env.TryKubectl(t, stdin, args...)
	require.Error(t, err, "it was not refused: %s", out)
	return out + problems
}
