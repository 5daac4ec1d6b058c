// SPDX-License-Identifier: Apache-2.0

package structure

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// schemas caches the normalized schema of each version.
type schemas map[*apiextensionsv1.CustomResourceDefinitionVersion]*schema

// of returns the schema of a version, or nil if the version has none. The root of a resource keeps
// apiVersion, kind and metadata regardless of its schema.
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

// PrunesStatus reports whether a version has a schema that neither declares nor keeps a status.
func (c *Comparison) PrunesStatus(version *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	schema := c.schemas.of(version)
	return schema != nil && schema.prunesStatus()
}

func (s *schema) prunesStatus() bool { return s.properties["status"] == nil && !s.keepsUndeclared() }

// LosesField reports whether a field that old declares is neither declared nor kept by new. It returns
// false if one of the versions has no schema.
func (c *Comparison) LosesField(old, new *apiextensionsv1.CustomResourceDefinitionVersion, path []string) bool {
	before, after := c.schemas.of(old), c.schemas.of(new)
	return before != nil && after != nil && before.declares(path) && !after.declares(path) && !after.keepsPath(path)
}

// declares reports whether a path of properties is declared.
func (s *schema) declares(path []string) bool {
	for _, name := range path {
		if s.embedded && isMetadata(name) {
			return true
		}
		if s = s.properties[name]; s == nil {
			return false
		}
	}
	return true
}

// keepsPath reports whether a path is kept although it is not declared.
func (s *schema) keepsPath(path []string) bool {
	for _, name := range path {
		if s.preserve || s.anyValue {
			return true
		}
		if s = s.child(name); s == nil {
			return false
		}
	}
	return true
}
