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

// nobody is somebody who is logged in and has no role.
const nobody = "nobody"

// ours gives the shipped roles for people, in the order of their file.
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

// all gives every role that the tables show.
func all(t *testing.T) []string {
	t.Helper()
	return append(ours(t), "view", "edit", "admin", "cluster-admin", nobody)
}

// scope is how a role is bound.
type scope string

const (
	byRoleBinding        scope = "RoleBinding"
	byClusterRoleBinding scope = "ClusterRoleBinding"
)

// user is the name of somebody who has one role, bound in one way.
func user(role string, bound scope) string {
	return strings.ReplaceAll(role, ":", "-") + "-by-" + strings.ToLower(string(bound))
}

// bindings are two namespaces and somebody for each role and scope; RoleBindings are in the first of them.
type bindings struct{ team, elsewhere string }

// bindAll makes people with all roles, and returns when the cluster knows what they may do.
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
				// RBAC itself knows nothing of scopes: a RoleBinding shows by a question that names its namespace.
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

// known are rights by which one sees that the cluster knows a whole role: one of each role that is added to it.
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

// refused requires that kubectl fails, and gives what it printed.
func refused(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, problems, err := env.TryKubectl(t, stdin, args...)
	require.Error(t, err, "it was not refused: %s", out)
	return out + problems
}
