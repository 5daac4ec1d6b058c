// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework/install"
)

// further returns one more server, which is not started yet. It has the rights of the shipped
// ServiceAccount except the ClusterRole rules for which without returns true; nil drops no rules.
func further(t *testing.T, without func(rbacv1.PolicyRule) bool, args ...string) *install.Program {
	t.Helper()
	account := install.APIServer
	name := env.Name("server")
	if without != nil {
		account = name
		lesser(t, account, without)
	}
	program, err := env.Roadstead.NewAPIServer(t.Context(), name, account, args...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = program.Kill() })
	return program
}

// lesser creates a ServiceAccount with fewer rights than the shipped one.
func lesser(t *testing.T, account string, without func(rbacv1.PolicyRule) bool) {
	t.Helper()
	ctx, rbac := t.Context(), env.Admin.RbacV1()
	_, err := env.Admin.CoreV1().ServiceAccounts(install.Namespace).Create(ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}, metav1.CreateOptions{})
	require.NoError(t, err)
	full, err := rbac.ClusterRoles().Get(ctx, install.APIServer, metav1.GetOptions{})
	require.NoError(t, err)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: account}}
	for _, rule := range full.Rules {
		// Split the rules by resource, so that a single resource can be dropped.
		for _, resource := range rule.Resources {
			one := *rule.DeepCopy()
			one.Resources = []string{resource}
			if !without(one) {
				role.Rules = append(role.Rules, one)
			}
		}
	}
	require.NotEqual(t, len(full.Rules), 0)
	_, err = rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	require.NoError(t, err)
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: install.Namespace, Name: account}}
	for suffix, clusterRole := range map[string]string{"": account, ":auth-delegator": "system:auth-delegator"} {
		_, err = rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: account + suffix}, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: clusterRole},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	for namespace, role := range map[string]string{install.Namespace: install.APIServer,
		"kube-system": "extension-apiserver-authentication-reader"} {
		_, err = rbac.RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: account}, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}

// logged returns the lines of a log that contain a text.
func logged(t *testing.T, path, text string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(content)) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
