// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// DeepestSchema is the maximum depth of a schema that is compared. Handwritten schemas reach a tenth of it at most.
const DeepestSchema = 500

// DeeperThan reports whether a schema has more levels than the given number. A nil schema has none.
func DeeperThan(schema *apiextensionsv1.JSONSchemaProps, levels int) bool {
	if schema == nil {
		return false
	}
	if levels <= 0 {
		return true
	}
	deeper := false
	EachChild(schema, func(_ string, child *apiextensionsv1.JSONSchemaProps) {
		deeper = deeper || DeeperThan(child, levels-1)
	})
	return deeper
}

// EachChild calls visit for every direct subschema of a schema, with the suffix of its path. The suffix
// is empty for the branches of allOf, anyOf, oneOf and not, which describe the same value.
func EachChild(schema *apiextensionsv1.JSONSchemaProps, visit func(path string, child *apiextensionsv1.JSONSchemaProps)) {
	if items := schema.Items; items != nil {
		if items.Schema != nil {
			visit("[*]", items.Schema)
		}
		for i := range items.JSONSchemas {
			visit("[*]", &items.JSONSchemas[i])
		}
	}
	for _, or := range []*apiextensionsv1.JSONSchemaPropsOrBool{schema.AdditionalProperties, schema.AdditionalItems} {
		if or != nil && or.Schema != nil {
			visit(".*", or.Schema)
		}
	}
	for _, branches := range [][]apiextensionsv1.JSONSchemaProps{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for i := range branches {
			visit("", &branches[i])
		}
	}
	if schema.Not != nil {
		visit("", schema.Not)
	}
	for name := range schema.Properties {
		child := schema.Properties[name]
		visit("."+name, &child)
	}
	for _, named := range []map[string]apiextensionsv1.JSONSchemaProps{schema.PatternProperties, schema.Definitions} {
		for name := range named {
			child := named[name]
			visit("", &child)
		}
	}
	for _, dependency := range schema.Dependencies {
		if dependency.Schema != nil {
			visit("", dependency.Schema)
		}
	}
}
