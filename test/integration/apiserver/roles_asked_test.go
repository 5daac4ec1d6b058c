// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// questions are checked individually for every role: some of each type, and all sensitive ones.
var questions = []struct{ verb, resource, subresource string }{
	{"list", "domains." + takaroGroup, ""},
	{"patch", "mockservers." + takaroGroup, "scale"},
	{"deletecollection", "users." + takaroGroup, ""},
	{"create", "users." + takaroGroup, "credentials"},
	{"update", "domains." + takaroGroup, "status"},
	{"adopt", "domains." + takaroGroup, ""},
	{"patch", "takaroendpoints." + takaroGroup, ""},
	{"delete", "takaroendpoints." + takaroGroup, ""},
	{"adopt", "users." + takaroGroup, ""},
	{"watch", "operators." + releaseGroup, ""},
	{"create", "crdschemas." + releaseGroup, ""},
	{"approve", "approvals." + releaseGroup, ""},
	{"bypass", "approvals." + releaseGroup, ""},
	{"create", "approvals." + releaseGroup, "approve"},
	{"delete", "approvals." + releaseGroup, ""},
	{"get", "crdsnapshots." + releaseGroup, ""},
}

// answers requires that kubectl auth can-i answers the questions consistently with the list.
func answers(t *testing.T, role string, bound scope, b bindings, resources []resource, gives given) {
	t.Helper()
	for _, q := range questions {
		name := q.resource
		if q.subresource != "" {
			name += "/" + q.subresource
		}
		i := slices.IndexFunc(resources, func(r resource) bool { return r.String() == name })
		require.GreaterOrEqual(t, i, 0, "%s is not served", name)
		where := inNamespace(b.team)
		if !resources[i].namespaced {
			where = inNone
		}
		expected := slices.Contains(gives[name], q.verb) && (bound == byClusterRoleBinding || resources[i].namespaced)
		assert.Equal(t, expected, may(t, user(role, bound), where, q.verb, q.resource, q.subresource), "%s %s", q.verb, name)
	}
}

// inNone is the scope for resources without a namespace. Otherwise kubectl checks them in the
// current namespace, and a RoleBinding there would seem to be sufficient.
const inNone = "--all-namespaces"

func inNamespace(namespace string) string { return "--namespace=" + namespace }

// may runs kubectl auth can-i. The resource may have the suffix "/<name of an object>".
func may(t *testing.T, user, where, verb, resource, subresource string) bool {
	t.Helper()
	args := []string{"auth", "can-i", verb, resource, "--as=" + user, where}
	if subresource != "" {
		args = append(args, "--subresource="+subresource)
	}
	out, problems, err := env.TryKubectl(t, "", args...)
	answer, _, _ := strings.Cut(strings.TrimSpace(out), " ")
	require.Contains(t, []string{"yes", "no"}, answer, "%v: %s", err, problems)
	require.Equal(t, answer == "yes", err == nil, "the exit status says the same")
	return answer == "yes"
}

// canList reports whether the API server authorizes the list request itself, without the
// interpretation of kubectl.
func canList(t *testing.T, user, resource, where string) bool {
	t.Helper()
	_, problems, err := env.TryKubectl(t, "", "get", resource, "--as="+user, where)
	if err != nil {
		require.Contains(t, problems, "Forbidden")
	}
	return err == nil
}
