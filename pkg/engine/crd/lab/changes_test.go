// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// change modifies a node of a schema in place.
type change func(t *rapid.T, s schema)

// alter modifies one node of the schema of a root, or the root's own rules.
func alter(t *rapid.T, root schema) {
	if maybe(t, 6) {
		pick(t, alterRoot...)(t, root)
		return
	}
	var places []schema
	for _, child := range children(root) {
		places = append(places, nodes(child)...)
	}
	place := rapid.SampledFrom(places).Draw(t, "place")
	pick(t, changesOf(place)...)(t, place)
}

var alterRoot = []change{
	func(t *rapid.T, s schema) { s["required"] = []any{pick(t, "spec", "status")} },
	func(_ *rapid.T, s schema) { addRule(s, "self.metadata.name.size() < 4") },
	func(_ *rapid.T, s schema) { addRule(s, "has(self.status)") },
}

func changesOf(s schema) []change {
	possible := []change{
		func(t *rapid.T, s schema) { toggle(s, "nullable", true) },
		func(t *rapid.T, s schema) { toggle(s, "default", valueOf(t, s)) },
		func(t *rapid.T, s schema) { s["default"] = valueOf(t, s) },
		replace,
	}
	if s["nullable"] == true {
		deny := func(_ *rapid.T, s schema) { delete(s, "nullable") }
		possible = append(possible, deny, deny)
	}
	if s["x-kubernetes-int-or-string"] == true {
		return append(possible, changesOfIntOrString...)
	}
	switch s["type"] {
	case "string":
		return append(possible, changesOfString...)
	case "integer", "number":
		return append(possible, changesOfNumber...)
	case "array":
		return append(possible, changesOfList...)
	case "object":
		return append(possible, changesOfObject...)
	}
	return possible
}

// replace replaces the node by another schema.
func replace(t *rapid.T, s schema) {
	other := anySchema(t, 1)
	clear(s)
	maps.Copy(s, other)
}

func toggle(s schema, key string, value any) {
	if _, ok := s[key]; ok {
		delete(s, key)
		return
	}
	s[key] = value
}

func addRule(s schema, rule string) {
	rules, _ := s["x-kubernetes-validations"].([]any)
	s["x-kubernetes-validations"] = append(slices.Clone(rules), schema{"rule": rule})
}

// branch adds a branch to a junctor.
func branch(s schema, junctor string, branches ...any) {
	if junctor == "not" {
		s["not"] = branches[0]
		return
	}
	before, _ := s[junctor].([]any)
	s[junctor] = append(slices.Clone(before), branches...)
}

var changesOfIntOrString = []change{
	func(t *rapid.T, s schema) {
		delete(s, "x-kubernetes-int-or-string")
		s["type"] = pick(t, "string", "integer")
	},
	func(t *rapid.T, s schema) {
		branch(s, "anyOf", schema{"maximum": int64(3)}, schema{"maxLength": int64(2)})
	},
	func(t *rapid.T, s schema) { branch(s, "allOf", schema{"pattern": pick(t, patterns...)}) },
}

var changesOfString = []change{
	func(t *rapid.T, s schema) { toggle(s, "enum", someWords(t)) },
	func(t *rapid.T, s schema) { s["enum"] = someWords(t) },
	func(t *rapid.T, s schema) { toggle(s, "maxLength", int64(rapid.IntRange(0, 4).Draw(t, "maxLength"))) },
	func(t *rapid.T, s schema) { s["maxLength"] = int64(rapid.IntRange(0, 4).Draw(t, "maxLength")) },
	func(t *rapid.T, s schema) { s["minLength"] = int64(rapid.IntRange(0, 3).Draw(t, "minLength")) },
	func(t *rapid.T, s schema) { toggle(s, "pattern", pick(t, patterns...)) },
	func(t *rapid.T, s schema) { s["pattern"] = pick(t, patterns...) },
	func(t *rapid.T, s schema) { toggle(s, "format", pick(t, "date-time", "k8s-short-name", "unheard-of")) },
	func(_ *rapid.T, s schema) { delete(s, "type"); s["x-kubernetes-int-or-string"] = true },
	func(_ *rapid.T, s schema) { delete(s, "type"); s["x-kubernetes-preserve-unknown-fields"] = true },
	func(t *rapid.T, s schema) {
		branch(s, pick(t, "allOf", "anyOf", "oneOf", "not"), schema{"pattern": pick(t, patterns...)}, schema{"maxLength": int64(2)})
	},
	func(t *rapid.T, s schema) {
		addRule(s, pick(t, "self.size() < 3", "self == oldSelf", "!self.startsWith('a')"))
	},
}

var changesOfNumber = []change{
	func(t *rapid.T, s schema) { toggle(s, "maximum", int64(rapid.IntRange(0, 6).Draw(t, "maximum"))) },
	func(t *rapid.T, s schema) { s["maximum"] = int64(rapid.IntRange(0, 6).Draw(t, "maximum")) },
	func(t *rapid.T, s schema) { s["minimum"] = int64(rapid.IntRange(-2, 3).Draw(t, "minimum")) },
	func(t *rapid.T, s schema) {
		s["maximum"], s["exclusiveMaximum"] = int64(rapid.IntRange(0, 6).Draw(t, "maximum")), true
	},
	func(t *rapid.T, s schema) { toggle(s, "multipleOf", int64(pick(t, 1, 2, 3))) },
	func(t *rapid.T, s schema) {
		s["enum"] = []any{int64(0), int64(1), int64(rapid.IntRange(2, 8).Draw(t, "value"))}
	},
	func(_ *rapid.T, s schema) {
		s["type"] = map[any]string{"integer": "number", "number": "integer"}[s["type"]]
	},
	func(t *rapid.T, s schema) {
		branch(s, pick(t, "allOf", "anyOf", "oneOf", "not"), schema{"maximum": int64(3)}, schema{"minimum": int64(1)})
	},
}

var changesOfList = []change{
	func(t *rapid.T, s schema) { toggle(s, "maxItems", int64(rapid.IntRange(0, 3).Draw(t, "maxItems"))) },
	func(t *rapid.T, s schema) { toggle(s, "minItems", int64(rapid.IntRange(0, 2).Draw(t, "minItems"))) },
	func(_ *rapid.T, s schema) { addRule(s, "self.size() < 2") },
	func(t *rapid.T, s schema) {
		delete(s, "x-kubernetes-list-map-keys")
		toggle(s, "x-kubernetes-list-type", "set")
	},
	func(t *rapid.T, s schema) {
		if items, ok := s["items"].(schema); ok && items["type"] == "object" && items["properties"] != nil {
			items["properties"].(schema)["k"] = schema{"type": "string"}
			required, _ := items["required"].([]any)
			items["required"] = append(required, "k")
			s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{"k"}
		}
	},
}

var changesOfObject = []change{
	func(t *rapid.T, s schema) { toggle(s, "x-kubernetes-preserve-unknown-fields", true) },
	func(t *rapid.T, s schema) { toggle(s, "x-kubernetes-map-type", "atomic") },
	func(t *rapid.T, s schema) {
		toggle(s, "maxProperties", int64(rapid.IntRange(0, 3).Draw(t, "maxProperties")))
	},
	func(t *rapid.T, s schema) {
		toggle(s, "minProperties", int64(rapid.IntRange(0, 2).Draw(t, "minProperties")))
	},
	func(_ *rapid.T, s schema) {
		s["x-kubernetes-embedded-resource"], s["x-kubernetes-preserve-unknown-fields"] = true, true
		delete(s, "additionalProperties")
	},
	func(t *rapid.T, s schema) {
		delete(s, "properties")
		delete(s, "required")
		s["additionalProperties"] = anySchema(t, 0)
	},
	func(t *rapid.T, s schema) { delete(s, "additionalProperties"); addProperty(t, s, pick(t, "a", "n")) },
	func(t *rapid.T, s schema) { addProperty(t, s, "n") },
	removeProperty, removeProperty,
	func(t *rapid.T, s schema) {
		removeProperty(t, s)
		addProperty(t, s, "n")
	},
	requireSome, requireSome,
	func(_ *rapid.T, s schema) { delete(s, "required") },
	func(t *rapid.T, s schema) {
		names := []any{schema{"required": []any{pick(t, fieldNames...)}}, schema{"required": []any{pick(t, fieldNames...)}}}
		branch(s, pick(t, "allOf", "anyOf", "oneOf", "not"), names...)
	},
	func(t *rapid.T, s schema) {
		if name, ok := someProperty(t, s); ok {
			addRule(s, pick(t, "has(self."+name+")", "!has(self."+name+")", "self == oldSelf", "has(self."+name+") || self == oldSelf"))
		}
	},
}

func someProperty(t *rapid.T, s schema) (string, bool) {
	properties, _ := s["properties"].(schema)
	if len(properties) == 0 {
		return "", false
	}
	return rapid.SampledFrom(slices.Sorted(maps.Keys(properties))).Draw(t, "property"), true
}

func addProperty(t *rapid.T, s schema, name string) {
	if s["additionalProperties"] != nil {
		return
	}
	properties, ok := s["properties"].(schema)
	if !ok {
		properties = schema{}
		s["properties"] = properties
	}
	properties[name] = anySchema(t, 1)
	if maybe(t, 40) {
		required, _ := s["required"].([]any)
		s["required"] = append(slices.Clone(required), name)
	}
}

func removeProperty(t *rapid.T, s schema) {
	name, ok := someProperty(t, s)
	if !ok {
		return
	}
	delete(s["properties"].(schema), name)
	if required, ok := s["required"].([]any); ok && maybe(t, 70) {
		s["required"] = slices.DeleteFunc(slices.Clone(required), func(other any) bool { return other == name })
	}
}

func requireSome(t *rapid.T, s schema) {
	if name, ok := someProperty(t, s); ok {
		required, _ := s["required"].([]any)
		s["required"] = append(slices.Clone(required), name)
	}
}
