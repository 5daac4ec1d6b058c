// SPDX-License-Identifier: Apache-2.0

package structure

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
)

// schema is one node of a normalized schema: allOf and alternatives with a single branch are folded
// into it, values are decoded, unordered lists are sets, and descriptions are dropped.
type schema struct {
	// The structure of the value. It decides what is pruned.
	types       jsonTypes
	intOrString bool
	nullable    bool
	properties  map[string]*schema
	// additional is the schema of map values; anyValue is set if additionalProperties is true.
	additional *schema
	anyValue   bool
	preserve   bool
	embedded   bool
	items      *schema
	// listType is atomic, set or map; mapType is granular or atomic.
	listType, mapType string
	mapKeys           []string
	// fallback is the default; it is meaningful if defaults is set.
	fallback any
	defaults bool

	// The conditions on the value.
	required map[string]bool
	enum     map[string]any
	limits   limits
	// multiples are the factors that a number must be a multiple of, patterns those that a string must match.
	multiples map[float64]bool
	patterns  map[string]bool
	formats   map[string]bool
	anyOf     [][]*schema
	oneOf     [][]*schema
	not       []*schema
	rules     []apiextensionsv1.ValidationRule

	// folded holds the keywords that were folded from an allOf, or from alternatives with a single branch.
	folded map[string]bool
	// undeclared is set if only conditions mention the value: its key is not kept because of them.
	undeclared bool
}

// depthLimit is the maximum depth to which a schema is read. Deeper schemas are rejected: see tooDeep.
const depthLimit = manifest.DeepestSchema

// normalise reads a schema. It returns nil for nil.
func normalise(props *apiextensionsv1.JSONSchemaProps) *schema { return read(props, false, 0) }

// read reads a node. A condition is a node below allOf, anyOf, oneOf or not; it declares nothing.
func read(props *apiextensionsv1.JSONSchemaProps, condition bool, depth int) *schema {
	if props == nil || depth > depthLimit {
		return nil
	}
	s := &schema{
		types: typesOf(props.Type), intOrString: props.XIntOrString, nullable: props.Nullable, embedded: props.XEmbeddedResource,
		preserve: ptr.Deref(props.XPreserveUnknownFields, false),
		required: setOf(props.Required), limits: limitsOf(props), rules: props.XValidations, undeclared: condition,
	}
	if s.intOrString {
		s.types = intOrString
	}
	if s.types.has(typeArray) {
		s.listType = valueOr(props.XListType, "atomic")
		s.mapKeys = sorted(props.XListMapKeys)
	}
	if s.types.has(typeObject) {
		s.mapType = valueOr(props.XMapType, "granular")
	}
	for name := range props.Properties {
		child := props.Properties[name]
		if s.properties == nil {
			s.properties = make(map[string]*schema, len(props.Properties))
		}
		if node := read(&child, condition, depth+1); node != nil {
			s.properties[name] = node
		}
	}
	if additional := props.AdditionalProperties; additional != nil {
		s.additional = read(additional.Schema, condition, depth+1)
		s.anyValue = additional.Schema == nil && additional.Allows
	}
	if props.Items != nil {
		s.items = read(props.Items.Schema, condition, depth+1)
	}
	if props.Default != nil {
		s.fallback, s.defaults = decoded(*props.Default), true
	}
	s.readValues(props)
	s.readConditions(props, depth)
	return s
}

// readValues reads the conditions on a scalar.
func (s *schema) readValues(props *apiextensionsv1.JSONSchemaProps) {
	if len(props.Enum) > 0 {
		s.enum = make(map[string]any, len(props.Enum))
		for _, value := range props.Enum {
			plain := decoded(value)
			s.enum[shownWhole(plain)] = plain
		}
	}
	if props.MultipleOf != nil {
		s.multiples = map[float64]bool{*props.MultipleOf: true}
	}
	if props.Pattern != "" {
		s.patterns = map[string]bool{props.Pattern: true}
	}
	if props.Format != "" {
		s.formats = map[string]bool{props.Format: true}
	}
}

// readConditions folds the conditions that can be folded and keeps the others.
func (s *schema) readConditions(props *apiextensionsv1.JSONSchemaProps, depth int) {
	for i := range props.AllOf {
		if condition := read(&props.AllOf[i], true, depth+1); condition != nil {
			s.constrain(condition, true)
		}
	}
	s.readAlternatives("anyOf", props.AnyOf, depth, func(branches []*schema) { s.anyOf = append(s.anyOf, branches) })
	s.readAlternatives("oneOf", props.OneOf, depth, func(branches []*schema) { s.oneOf = append(s.oneOf, branches) })
	if body := read(props.Not, true, depth+1); body != nil {
		s.not = append(s.not, body)
	}
}

func (s *schema) readAlternatives(keyword string, branches []apiextensionsv1.JSONSchemaProps, depth int, keep func([]*schema)) {
	var nodes []*schema
	for i := range branches {
		if node := read(&branches[i], true, depth+1); node != nil {
			nodes = append(nodes, node)
		}
	}
	switch {
	case len(nodes) == 1:
		s.constrain(nodes[0], false)
		s.fold(keyword)
	case len(nodes) > 1 && !onlyRepeatTypes(s.types, nodes):
		keep(nodes)
	}
}

// onlyRepeatTypes reports whether alternatives only list types, as those of int-or-string do.
func onlyRepeatTypes(types jsonTypes, branches []*schema) bool {
	var union jsonTypes
	for _, branch := range branches {
		if union&branch.types != 0 || !branch.onlyTypes() {
			return false
		}
		union |= branch.types
	}
	return union.has(types)
}

// onlyTypes reports whether a condition restricts nothing but types.
func (s *schema) onlyTypes() bool {
	return len(s.properties) == 0 && s.additional == nil && s.items == nil && len(s.required) == 0 && s.enum == nil &&
		s.limits == (limits{}) &&
		len(s.multiples) == 0 && len(s.patterns) == 0 && len(s.formats) == 0 && len(s.anyOf) == 0 && len(s.oneOf) == 0 && len(s.not) == 0
}

// anything reports whether a node accepts and keeps any value.
func (s *schema) anything() bool { return s.types == anyType && s.preserve }
