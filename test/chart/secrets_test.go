// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

// TestSecretNamespaces_RightsOfController checks in which namespaces the controller may use
// Secrets, and that its flag lists the same namespaces.
func TestSecretNamespaces_RightsOfController(t *testing.T) {
	const role = "ClusterRole " + secrets.BoundClusterRole
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	for name, c := range map[string]struct {
		flags      string
		everywhere bool
		verbs      []string
		bound      []string
	}{
		"default":             {"commonLabels.a=b", true, all, nil},
		"own namespace":       {`controller={"secretNamespaces":[]}`, false, all, []string{systemNamespace}},
		"two teams":           {`controller.secretNamespaces=["team-a","team-b"]`, false, all, []string{systemNamespace, "team-a", "team-b"}},
		"own namespace twice": {`controller.secretNamespaces=["team-a","roadstead-system"]`, false, all, []string{systemNamespace, "team-a"}},
		"all and one":         {`controller.secretNamespaces=["team-a","*"]`, true, all, nil},
		"without takaro":      {"groups.takaro=false", true, []string{"get", "list", "watch"}, nil},
		"without takaro, bound": {`groups.takaro=false,controller.secretNamespaces=["team-a"]`, false, []string{"get", "list", "watch"},
			[]string{systemNamespace, "team-a"}},
	} {
		t.Run(name, func(t *testing.T) {
			rendered := render(t, set(t, c.flags))
			clusterWide := verbsOnSecrets(typed[rbacv1.ClusterRole](t, rendered, "ClusterRole roadstead-controller"))
			if c.everywhere {
				assert.Equal(t, c.verbs, clusterWide)
				assert.NotContains(t, rendered, role)
			} else {
				assert.Empty(t, clusterWide)
				assert.Equal(t, c.verbs, verbsOnSecrets(typed[rbacv1.ClusterRole](t, rendered, role)))
			}
			var bound []string
			for object, found := range rendered {
				if found.GetName() == secrets.BoundClusterRole && found.GetKind() != "ClusterRole" {
					binding := typed[rbacv1.RoleBinding](t, rendered, object)
					assert.Equal(t, secrets.BoundClusterRole, binding.RoleRef.Name)
					assert.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: "roadstead-controller", Namespace: systemNamespace}}, binding.Subjects)
					bound = append(bound, binding.Namespace)
				}
			}
			assert.ElementsMatch(t, c.bound, bound)
			assert.Equal(t, strings.Join(c.bound, ","), flagOf(container(rendered[controller].Object)["args"], "--secret-namespaces="))
		})
	}
}

func verbsOnSecrets(role rbacv1.ClusterRole) []string {
	for _, rule := range role.Rules {
		if slices.Contains(rule.Resources, "secrets") {
			return rule.Verbs
		}
	}
	return nil
}

// flagOf returns the value of a flag, "" if it is not among the arguments.
func flagOf(args any, flag string) string {
	list, _ := args.([]any)
	for _, arg := range list {
		if value, found := strings.CutPrefix(arg.(string), flag); found {
			return value
		}
	}
	return ""
}
