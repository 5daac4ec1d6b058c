// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"pgregory.net/rapid"
)

// schema is a schema as JSON, which is easy to modify in place and to print.
type schema = map[string]any

// maybe returns true in at most the given percentage of draws (draws are biased towards small values).
// Shrinking turns it to false where possible.
func maybe(t *rapid.T, percent int) bool {
	return rapid.IntRange(0, 99).Draw(t, "maybe") >= 100-percent
}

func pick[T any](t *rapid.T, from ...T) T { return rapid.SampledFrom(from).Draw(t, "pick") }

var (
	fieldNames = []string{"a", "b", "c", "d"}
	patterns   = []string{"^[a-z]*$", "^a", "b$", "^.{0,2}$"}
	words      = []string{"", "a", "b", "ab", "abc", "abcd", "Z", "a1"}
)

// anySchema returns a structural schema with at most the given number of levels.
func anySchema(t *rapid.T, levels int) schema {
	kinds := []string{"string", "integer", "boolean", "number", "intOrString"}
	if levels > 0 {
		kinds = append(kinds, "list", "set", "listMap", "map", "object", "object", "preserve")
	}
	var s schema
	switch kind := pick(t, kinds...); kind {
	case "string":
		s = schema{"type": "string"}
		restrictString(t, s)
	case "integer", "number":
		s = schema{"type": kind}
		restrictNumber(t, s)
	case "boolean":
		s = schema{"type": "boolean"}
	case "intOrString":
		s = schema{"x-kubernetes-int-or-string": true}
	case "list":
		s = schema{"type": "array", "items": anySchema(t, levels-1)}
	case "set":
		s = schema{"type": "array", "x-kubernetes-list-type": "set", "items": schema{"type": "string"}}
	case "listMap":
		s = schema{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"k"}, "items": itemsByKey(t, levels-1)}
	case "map":
		s = schema{"type": "object", "additionalProperties": anySchema(t, levels-1)}
	case "preserve":
		s = schema{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	case "object":
		s = objectSchema(t, levels-1)
	}
	if maybe(t, 30) {
		s["nullable"] = true
	}
	if maybe(t, 20) {
		s["default"] = valueOf(t, s)
	}
	return s
}

// objectSchema returns an object schema with fields, some of them required.
func objectSchema(t *rapid.T, levels int) schema {
	properties := schema{}
	var required []any
	for _, name := range fieldNames[:rapid.IntRange(1, len(fieldNames)).Draw(t, "fields")] {
		properties[name] = anySchema(t, levels)
		if maybe(t, 25) {
			required = append(required, name)
		}
	}
	s := schema{"type": "object", "properties": properties}
	if required != nil {
		s["required"] = required
	}
	if maybe(t, 15) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	return s
}

func itemsByKey(t *rapid.T, levels int) schema {
	s := objectSchema(t, levels)
	s["properties"].(schema)["k"] = schema{"type": "string"}
	required, _ := s["required"].([]any)
	s["required"] = append(required, "k")
	return s
}

func restrictString(t *rapid.T, s schema) {
	if maybe(t, 20) {
		s["enum"] = someWords(t)
	}
	if maybe(t, 15) {
		s["maxLength"] = int64(rapid.IntRange(1, 4).Draw(t, "maxLength"))
	}
	if maybe(t, 10) {
		s["minLength"] = int64(1)
	}
	if maybe(t, 15) {
		s["pattern"] = pick(t, patterns...)
	}
}

func restrictNumber(t *rapid.T, s schema) {
	if maybe(t, 20) {
		s["maximum"] = int64(rapid.IntRange(1, 6).Draw(t, "maximum"))
	}
	if maybe(t, 20) {
		s["minimum"] = int64(rapid.IntRange(-2, 1).Draw(t, "minimum"))
	}
	if maybe(t, 8) {
		s["multipleOf"] = int64(pick(t, 1, 2, 3))
	}
}

func someWords(t *rapid.T) []any {
	var chosen []any
	for _, word := range words {
		if maybe(t, 45) {
			chosen = append(chosen, word)
		}
	}
	return append(chosen, "zz")
}

// children returns the direct subschemas of a schema in a fixed order.
func children(s schema) []schema {
	var found []schema
	if properties, ok := s["properties"].(schema); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			found = append(found, properties[name].(schema))
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if child, ok := s[key].(schema); ok {
			found = append(found, child)
		}
	}
	return found
}

// nodes returns a schema and all its subschemas.
func nodes(s schema) []schema {
	found := []schema{s}
	for _, child := range children(s) {
		found = append(found, nodes(child)...)
	}
	return found
}

// definitionOf returns a CRD that serves one version with the schema.
func definitionOf(root schema) (*apiextensionsv1.CustomResourceDefinition, error) {
	encoded, err := json.Marshal(root)
	if err != nil {
		return nil, err
	}
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(encoded, props); err != nil {
		return nil, fmt.Errorf("%s: %w", encoded, err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget",
		Kind: "Widget", ListKind: "WidgetList"}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props},
		Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
	}}
	return crd, nil
}
