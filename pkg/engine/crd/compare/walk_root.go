// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// schemas keeps the normalised schema of each version.
type schemas map[*apiextensionsv1.CustomResourceDefinitionVersion]*schema

// of gives the schema of a version; nil where it has none. The root of a resource keeps apiVersion, kind and metadata,
// whatever the schema says of them.
func (s schemas) of(version *apiextensionsv1.CustomResourceDefinitionVersion) *schema {
	if version == nil || version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	known, ok := s[version]
	if !ok {
		known = normalise(version.Schema.OpenAPIV3Schema)
		if known != nil {
			known.embedded = true
		}
		s[version] = known
	}
	return known
}

// used tells whether anybody can have read, written or stored through a version of the old definition.
func (c *comparison) used(version *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	return version.Served || version.Storage || slices.Contains(c.old.Status.StoredVersions, version.Name)
}

func sameSchema(old, new *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	return apiequality.Semantic.DeepEqual(old.Schema, new.Schema)
}

// root compares whole resources.
func (w *walk) root(old, new *schema, oldVersion, newVersion *apiextensionsv1.CustomResourceDefinitionVersion) {
	at := spot{root: true}
	switch {
	case old == nil:
		// Version v1beta1 of the API allowed it: everything was kept, nothing was checked.
		old = &schema{types: typeObject, preserve: true, embedded: true, mapType: "granular"}
	case new.preserve && len(new.properties) == 0 && !old.preserve && len(old.properties) > 0:
		w.find("E16", at, nil, nil, "the schema says nothing any more: every field is kept, none is checked, and server-side apply knows no lists or maps in it")
		return
	}
	if subresource(oldVersion) == nil && subresource(newVersion) != nil && old.properties["status"] == nil && !old.keepsUndeclared() {
		// A status that arrives with its subresource was never kept before, so nobody can have counted on it.
		copied := *new
		copied.properties = withoutKey(new.properties, "status")
		new = &copied
	}
	w.node(old, new, at)
}

func subresource(version *apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.CustomResourceSubresourceStatus {
	if version == nil || version.Subresources == nil {
		return nil
	}
	return version.Subresources.Status
}

func withoutKey(properties map[string]*schema, name string) map[string]*schema {
	rest := make(map[string]*schema, len(properties))
	for key, value := range properties {
		if key != name {
			rest[key] = value
		}
	}
	return rest
}
