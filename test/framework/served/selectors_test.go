// SPDX-License-Identifier: Apache-2.0

package served

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/crdschema"
)

// selectable returns the fields for which the storage of a resource has values, except those of the
// metadata.
func selectable(t *testing.T, resource Resource) fields.Set {
	t.Helper()
	var store *genericregistry.Store
	switch main := resource.Storage.(type) {
	case *generic.REST:
		store = main.Store
	case *crdschema.REST:
		store = main.Store
	default:
		return nil
	}
	predicate := store.PredicateFunc(labels.Everything(), fields.Everything())
	_, found, err := predicate.GetAttrs(resource.Storage.New())
	require.NoError(t, err)
	delete(found, "metadata.name")
	delete(found, "metadata.namespace")
	return found
}

// TestFieldSelectors_AreAcceptedAndHaveValues verifies that the version and the storage support the
// same fields. A field that only the version accepts selects nothing. A field that only the storage
// knows is rejected.
func TestFieldSelectors_AreAcceptedAndHaveValues(t *testing.T) {
	resources, err := Resources()
	require.NoError(t, err)
	for _, resource := range resources {
		found := selectable(t, resource)
		for path := range found {
			_, _, err := apiserver.Scheme.ConvertFieldLabel(resource.Kind, path, "x")
			assert.NoError(t, err, "%s of %s", path, resource.Kind.Kind)
		}
		for _, path := range []string{"status.phase", "spec.domainRef.name", "spec.operatorRef.name", "status.decision", "spec.email",
			"spec.url", "spec.name"} {
			_, _, err := apiserver.Scheme.ConvertFieldLabel(resource.Kind, path, "x")
			_, known := found[path]
			assert.Equal(t, known, err == nil, "%s of %s: %v", path, resource.Kind.Kind, err)
		}
	}
}

// TestFieldSelectors_SelectByPhaseAndReference verifies that objects can be selected by their phase
// and by their reference to a Domain.
func TestFieldSelectors_SelectByPhaseAndReference(t *testing.T) {
	resources, err := Resources()
	require.NoError(t, err)
	for _, resource := range resources {
		if !slices.ContainsFunc(resource.Subresources, func(sub Resource) bool { return sub.Name == "status" }) {
			continue
		}
		found := selectable(t, resource)
		if hasPhase(t, resource) {
			assert.Contains(t, found, "status.phase", resource.Kind.Kind)
		}
		assert.NotEmpty(t, found, resource.Kind.Kind)
	}
	for name, path := range map[string]string{"mockservers": "spec.domainRef.name", "users": "spec.domainRef.name"} {
		assert.Contains(t, selectable(t, find(t, "takaro.roadstead.dev", name)), path)
	}
}

// TestScalableKinds_HaveTheCategoryThatToolsRead verifies the category scale on kinds with a scale
// subresource, because k9s offers to scale only kinds with this category.
func TestScalableKinds_HaveTheCategoryThatToolsRead(t *testing.T) {
	resources, err := Resources()
	require.NoError(t, err)
	scalable := 0
	for _, resource := range resources {
		scales := slices.ContainsFunc(resource.Subresources, func(sub Resource) bool { return sub.Name == "scale" })
		assert.Equal(t, scales, slices.Contains(resource.Categories, "scale"), resource.Kind.Kind)
		if scales {
			scalable++
		}
	}
	assert.Positive(t, scalable)
}
