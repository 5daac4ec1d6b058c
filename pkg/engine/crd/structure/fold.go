// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"maps"
	"slices"
)

// constrain tightens a node so that it is at least as strict as a condition. If the condition comes from an
// allOf, its keywords are recorded as folded.
func (s *schema) constrain(condition *schema, allOf bool) {
	if allOf {
		s.remember(condition)
	}
	s.types &= condition.types
	s.limits.fold(condition.limits)
	s.required = union(s.required, condition.required)
	s.multiples = union(s.multiples, condition.multiples)
	s.patterns = union(s.patterns, condition.patterns)
	s.formats = union(s.formats, condition.formats)
	switch {
	case s.enum == nil:
		s.enum = condition.enum
	case condition.enum != nil:
		s.enum = maps.Clone(s.enum)
		maps.DeleteFunc(s.enum, func(value string, _ any) bool { _, both := condition.enum[value]; return !both })
	}
	for name, child := range condition.properties {
		s.properties = withChild(s.properties, name, child, allOf)
	}
	if condition.items != nil {
		s.items = conjoined(s.items, condition.items, allOf)
	}
	if condition.additional != nil {
		s.additional = conjoined(s.additional, condition.additional, allOf)
	}
	s.anyOf = append(slices.Clip(s.anyOf), condition.anyOf...)
	s.oneOf = append(slices.Clip(s.oneOf), condition.oneOf...)
	s.not = append(slices.Clip(s.not), condition.not...)
}

// remember records the keywords of a condition as folded.
func (s *schema) remember(condition *schema) {
	for keyword, set := range map[string]bool{
		"enum": condition.enum != nil, "pattern": len(condition.patterns) > 0, "format": len(condition.formats) > 0,
		"multipleOf": len(condition.multiples) > 0, "limit": condition.limits != limits{}, "required": len(condition.required) > 0,
	} {
		if set {
			s.fold(keyword)
		}
	}
}

// fold records a keyword as folded.
func (s *schema) fold(keyword string) {
	if s.folded == nil {
		s.folded = map[string]bool{}
	}
	s.folded[keyword] = true
}

func withChild(properties map[string]*schema, name string, child *schema, allOf bool) map[string]*schema {
	if properties == nil {
		properties = map[string]*schema{}
	}
	properties[name] = conjoined(properties[name], child, allOf)
	return properties
}

func conjoined(node, condition *schema, allOf bool) *schema {
	if node == nil {
		return condition
	}
	node.constrain(condition, allOf)
	return node
}

// both returns a node that is as strict as the two nodes together. It modifies neither.
func both(node, condition *schema) *schema {
	if node == nil {
		return condition
	}
	if condition == nil {
		return node
	}
	copied := *node
	copied.properties = maps.Clone(node.properties)
	for name, child := range condition.properties {
		if copied.properties == nil {
			copied.properties = map[string]*schema{}
		}
		copied.properties[name] = both(node.properties[name], child)
	}
	copied.items, copied.additional = both(node.items, condition.items), both(node.additional, condition.additional)
	plain := *condition
	plain.properties, plain.items, plain.additional = nil, nil, nil
	copied.constrain(&plain, false)
	return &copied
}

func union[K comparable](one, other map[K]bool) map[K]bool {
	if len(other) == 0 {
		return one
	}
	if len(one) == 0 {
		return other
	}
	all := maps.Clone(one)
	maps.Copy(all, other)
	return all
}
