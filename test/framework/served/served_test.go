// SPDX-License-Identifier: Apache-2.0

package served

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/apiserver"
)

func find(t *testing.T, group, name string) Resource {
	t.Helper()
	resources, err := Resources()
	require.NoError(t, err)
	at := slices.IndexFunc(resources, func(r Resource) bool { return r.GroupVersion.Group == group && r.Name == name })
	require.GreaterOrEqual(t, at, 0, name)
	return resources[at]
}

func TestEveryGroupOfTheServerIsThere(t *testing.T) {
	resources, err := Resources()
	require.NoError(t, err)
	for version, enabled := range apiserver.DefaultResources().GroupVersionConfigs {
		if enabled {
			assert.True(t, slices.ContainsFunc(resources, func(r Resource) bool { return r.GroupVersion == version }), "%s", version)
		}
	}
}

func TestWhatIsSaidOfAResource(t *testing.T) {
	servers := find(t, "takaro.roadstead.dev", "mockservers")
	assert.True(t, servers.Namespaced)
	assert.Equal(t, []string{"mock"}, servers.ShortNames)
	assert.Equal(t, []string{"create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"}, servers.Verbs)
	require.Len(t, servers.Subresources, 2)
	assert.Equal(t, schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, servers.Subresources[0].Kind)
	assert.Equal(t, []string{"get", "update", "patch"}, servers.Subresources[1].Verbs)
	assert.Equal(t, "Domain", servers.Columns[1].Name)

	approvals := find(t, "release.roadstead.dev", "approvals")
	assert.False(t, approvals.Namespaced)
	assert.Equal(t, "ApprovalDecision", approvals.Subresources[0].Kind.Kind)
	assert.Equal(t, []string{"create"}, approvals.Subresources[0].Verbs)
	assert.Equal(t, []string{"status.decision"}, Fields(approvals.Kind, []string{"status.decision", "spec.levels"}))

	assert.Equal(t, []string{"create"}, find(t, "release.roadstead.dev", "compatibilityreviews").Verbs)
	assert.Empty(t, find(t, "release.roadstead.dev", "crdsnapshots").Categories)
}

const domain = "apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: arena}\nspec:\n  takaroApiUrl: " +
	"https://api.takaro.example\n"

func TestWhatTheCheckerRefuses(t *testing.T) {
	checker, err := NewChecker()
	require.NoError(t, err)
	for name, test := range map[string]struct{ manifest, want string }{
		"a field that is not known": {domain + "  replicas: 3\n", `unknown field "spec.replicas"`},
		"a field of the wrong type": {domain + "  maintenanceMode: often\n", "maintenanceMode"},
		"a value out of its bounds": {domain + "  name: ab\n", "spec.name"},
		"a rule of the kind":        {domain + "  maintenanceMode: true\n  disabled: true\n", "one state at a time"},
		"a field that is missing": {"apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: ann}\nspec: " +
			"{domainRef: {name: arena}}\n", "spec.email"},
		"a kind that is not there":  {"apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Realm\nmetadata: {name: arena}\n", "no kind Realm"},
		"the second of two objects": {domain + "---\n" + domain + "  replicas: 3\n", "spec.replicas"},
		"a question without its object": {"apiVersion: release.roadstead.dev/v1alpha1\nkind: CompatibilityReview\nmetadata: {name: " +
			"a}\nspec: {}\n", "spec.new"},
		"a definition that is none": {definition("{kind: Widget}"), "spec.definition"},
		"a namespace where none can be": {"apiVersion: release.roadstead.dev/v1alpha1\nkind: Operator\nmetadata: {name: a, namespace: " +
			"b}\nspec: {}\n", "namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := checker.Check(test.manifest)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// definition returns a CRDSchema of a version that does not exist, which causes only a warning.
func definition(manifest string) string {
	return "apiVersion: release.roadstead.dev/v1alpha1\nkind: CRDSchema\nmetadata: {name: op-v1.widgets.example.com}\n" +
		"spec: {operatorVersionRef: {name: op-v1}, definition: " + manifest + "}\n"
}

func TestWhatTheCheckerTakes(t *testing.T) {
	checker, err := NewChecker()
	require.NoError(t, err)
	kinds, err := checker.Check("# A comment.\n" + domain + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nwhatever: 1\n---\n" +
		domain)
	require.NoError(t, err)
	assert.Equal(t, []string{"Domain", "Domain"}, kinds, "objects of other APIs are passed over")

	kinds, err = checker.Check(definition(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
	  metadata: {name: widgets.example.com},
  spec: {group: example.com, scope: Cluster, names: {plural: widgets, singular: widget, kind: Widget},
    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"CRDSchema"}, kinds)
}
