// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// readyLimit is the maximum time until a server is ready while other tests run.
const readyLimit = 20 * time.Second

// write sends a dry-run create of a Domain to a server, bypassing the aggregation layer. It is a
// dry run because the server has a separate store.
func write(t *testing.T, u *framework.User, address string) framework.Answer {
	t.Helper()
	return framework.Do(t, direct(u.Config, address), framework.Request{
		Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace), Body: string(peerDomain(group, 1)),
	})
}

// TestC04ShippedRBACSuffices verifies that the shipped rights are sufficient. If a right is
// missing, the informers never sync, and writes fail with 403 after ten seconds (kapp-controller
// #1841).
func TestC04ShippedRBACSuffices(t *testing.T) {
	u := editor(t)
	server := further(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit)
	defer cancel()
	require.NoError(t, server.Start(ctx))
	begin := time.Now()
	answer := write(t, u, server.Address())
	require.Equal(t, http.StatusCreated, answer.Code, "%s", answer.Body)
	assert.Less(t, time.Since(begin), 5*time.Second)
	assert.Empty(t, logged(t, server.Log(), "forbidden"))
	assert.Empty(t, logged(t, server.Log(), "Forbidden"))
	assert.Zero(t, metric(t, direct(env.Cluster.AdminConfig(), server.Address()), "roadstead_admission_plugin_dropped", nil))
	require.NoError(t, server.Stop())
}

// TestC04MissingRights_Awaited starts a server whose ClusterRole lacks rights of an essential
// plugin and of another plugin, grants these rights, and revokes them while the server runs.
func TestC04MissingRights_Awaited(t *testing.T) {
	t.Parallel() // the test mostly waits for probes
	u := editor(t)
	late := []string{"mutatingadmissionpolicies", "namespaces"}
	server := further(t, func(rule rbacv1.PolicyRule) bool { return slices.Contains(late, rule.Resources[0]) })
	started := make(chan error, 1)
	go func() { started <- server.Start(t.Context()) }()
	for _, says := range []string{
		"The server does not start yet: MutatingAdmissionPolicy: this server lacks the permission to get namespaces, list " +
			"mutatingadmissionpolicies.admissionregistration.k8s.io",
		"The server does not start yet: NamespaceLifecycle: this server lacks the permission to get namespaces, list namespaces, " +
			"watch namespaces",
	} {
		framework.Await(t, says, func() error {
			if _, err := os.Stat(server.Log()); err != nil {
				return err
			}
			lines := logged(t, server.Log(), says)
			if len(lines) == 0 {
				return errors.New("it is not in the log")
			}
			assert.Contains(t, lines[0], "apply the ClusterRole roadstead-apiserver")
			assert.NotContains(t, lines[0], `"v":`, "an error has no verbosity")
			return nil
		})
	}
	require.Empty(t, started, "it waits")

	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: install.Namespace, Name: server.Name()}}
	missing := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: server.Name() + ":late"}
	_, err := env.Admin.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: missing.Name},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"", "admissionregistration.k8s.io"}, Resources: late, Verbs: []string{"get", "list", "watch"}},
		}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = env.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: missing.Name}, RoleRef: missing, Subjects: subjects,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, <-started, "it goes on without a restart")
	answer := write(t, u, server.Address())
	require.Equal(t, http.StatusCreated, answer.Code, "%s", answer.Body)
	admin := direct(env.Cluster.AdminConfig(), server.Address())
	assert.Zero(t, metric(t, admin, "roadstead_admission_plugin_dropped", nil))
	assert.Zero(t, metric(t, admin, "roadstead_host_rights_missing", nil))

	require.NoError(t, env.Admin.RbacV1().ClusterRoleBindings().Delete(t.Context(), missing.Name, metav1.DeleteOptions{}))
	check := func(want int) func() bool {
		return func() bool {
			return framework.Do(t, admin, framework.Request{Path: "/readyz/host-rights"}).Code == want
		}
	}
	require.Eventually(t, check(http.StatusInternalServerError), 2*framework.Limit, time.Second, "the server becomes unready")
	assert.Equal(t, 1., metric(t, admin, "roadstead_host_rights_missing", map[string]string{"part": "NamespaceLifecycle"}))
	_, err = env.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: missing.Name}, RoleRef: missing, Subjects: subjects,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, check(http.StatusOK), framework.Limit, time.Second, "and ready again")
	require.NoError(t, server.Stop())
}
