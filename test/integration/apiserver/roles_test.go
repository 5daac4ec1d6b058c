// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page contains the tables between two markers.
const (
	page  = checkout + "/docs/roles.md"
	begin = "<!-- Written by test/integration/apiserver: begin -->\n"
	end   = "<!-- Written by test/integration/apiserver: end -->\n"
)

// TestWhatEachRoleGives verifies that each role grants the rights in docs/roles.md, for every
// served resource and verb, that the binding determines the scope, and that no role grants the
// rights that are reserved for the controller.
func TestWhatEachRoleGives(t *testing.T) {
	resources, roles, b := served(t), all(t), bindAll(t)
	gives := map[string]given{}
	for _, role := range roles {
		gives[role] = listed(t, user(role, byClusterRoleBinding), b.team, resources)
		isServed(t, role, gives[role], resources)
	}
	t.Run("as the page says", func(t *testing.T) { isAsThePageSays(t, resources, roles, gives) })
	t.Run("as far as the binding reaches", func(t *testing.T) {
		for _, role := range roles {
			reaches(t, role, b, resources, gives[role])
		}
	})
	t.Run("nothing that is the controller's", func(t *testing.T) {
		for _, role := range roles {
			if role != "cluster-admin" {
				isForPeople(t, role, gives[role])
			}
		}
	})
	t.Run("and the server does so", func(t *testing.T) {
		const operators, domains = "operators." + releaseGroup, "domains." + takaroGroup
		assert.True(t, canList(t, user("view", byClusterRoleBinding), operators, inNone))
		assert.False(t, canList(t, user("view", byRoleBinding), operators, inNone), "a RoleBinding gives nothing that is in no namespace")
		assert.True(t, canList(t, user("view", byRoleBinding), domains, inNamespace(b.team)))
		assert.False(t, canList(t, user("view", byRoleBinding), domains, inNamespace(b.elsewhere)))
		assert.False(t, canList(t, nobody, domains, inNamespace(b.team)))
	})
	for _, role := range roles {
		for _, bound := range []scope{byRoleBinding, byClusterRoleBinding} {
			t.Run("asked as "+user(role, bound), func(t *testing.T) {
				t.Parallel()
				answers(t, role, bound, b, resources, gives[role])
			})
		}
	}
}

// isServed requires that every right is meaningful. A resource that is not served, or a verb that
// the resource does not have, is an error in a manifest.
func isServed(t *testing.T, role string, gives given, resources []resource) {
	t.Helper()
	left := map[string][]string{}
	for _, r := range resources {
		left[r.String()] = r.verbs
	}
	for name, granted := range gives {
		assert.Subset(t, left[name], granted, "%s gives on %s what is not served", role, name)
	}
}

func isAsThePageSays(t *testing.T, resources []resource, roles []string, gives map[string]given) {
	t.Helper()
	tables := table(takaroGroup, resources, roles, gives) + "\n" + table(releaseGroup, resources, roles, gives)
	for _, r := range resources {
		assert.Contains(t, []string{takaroGroup, releaseGroup}, r.group, "a new group needs a table of its own")
	}
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(content), begin)
	require.True(t, found, page)
	said, after, found := strings.Cut(rest, end)
	require.True(t, found, page)
	if os.Getenv("UPDATE_ROLES") != "" {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+tables+end+after), 0o644))
		return
	}
	require.Equal(t, said, tables, "docs/roles.md says something else. Look at each change; if all are meant, run "+
		"UPDATE_ROLES=true go test -tags integration -run TestWhatEachRoleGives ./test/integration/apiserver")
}

// reaches requires that a ClusterRoleBinding grants the same rights in all namespaces, and that a
// RoleBinding grants those on namespaced resources in its namespace.
func reaches(t *testing.T, role string, b bindings, resources []resource, gives given) {
	t.Helper()
	assert.Equal(t, gives, listed(t, user(role, byClusterRoleBinding), b.elsewhere, resources), "%s, by a ClusterRoleBinding, elsewhere", role)
	inside := listed(t, user(role, byRoleBinding), b.team, resources)
	assert.Equal(t, gives.of(resources, true), inside.of(resources, true), "%s, by a RoleBinding, in its namespace", role)
	// This includes cluster-scoped resources, because only ClusterRoleBindings grant access to
	// them.
	assert.Empty(t, listed(t, user(role, byRoleBinding), b.elsewhere, resources), "%s, by a RoleBinding, elsewhere", role)
}

// isForPeople requires that a role grants no right that is reserved for the controller or for
// cluster administrators. This check is independent of the tables, which are easily regenerated.
func isForPeople(t *testing.T, role string, gives given) {
	t.Helper()
	for name, granted := range gives {
		assert.False(t, strings.HasSuffix(name, "/status"), "%s gives %s", role, name)
		assert.NotContains(t, []string{"users." + takaroGroup + "/credentials", "crdsnapshots." + releaseGroup, guard}, name, role)
		if name == "approvals."+releaseGroup {
			assert.Subset(t, append([]string{"approve", "bypass"}, reads...), granted, "%s writes Approvals", role)
		}
		if role != "roadstead:takaro-admin" {
			assert.NotContains(t, granted, "adopt", "%s gives the installation's admin token to use", role)
		}
		if role != "roadstead:release-admin" {
			assert.NotContains(t, granted, "approve", "%s decides", role)
			assert.NotContains(t, granted, "bypass", "%s avoids approvals", role)
			assert.NotEqual(t, "approvals."+releaseGroup+"/approve", name, "%s decides", role)
		}
	}
}
