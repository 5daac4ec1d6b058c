// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"maps"
	"regexp"
	"slices"

	"pgregory.net/rapid"
)

// valueOf returns a value that is likely to be valid; the server decides.
func valueOf(t *rapid.T, s schema) any {
	if s["nullable"] == true && maybe(t, 70) {
		return nil
	}
	if s["x-kubernetes-int-or-string"] == true {
		if maybe(t, 50) {
			return pick(t, words...)
		}
		return int64(rapid.IntRange(-2, 8).Draw(t, "integer"))
	}
	switch s["type"] {
	case "string":
		return stringOf(t, s)
	case "integer":
		return numberOf(t, s, false)
	case "number":
		return numberOf(t, s, true)
	case "boolean":
		return maybe(t, 50)
	case "array":
		return listOf(t, s)
	}
	return objectOf(t, s)
}

func stringOf(t *rapid.T, s schema) any {
	from := words
	if enum, ok := s["enum"].([]any); ok {
		from = nil
		for _, word := range enum {
			from = append(from, word.(string))
		}
	}
	from = slices.DeleteFunc(slices.Clone(from), func(word string) bool {
		longest, bounded := s["maxLength"].(int64)
		shortest, _ := s["minLength"].(int64)
		pattern, _ := s["pattern"].(string)
		return bounded && int64(len(word)) > longest || int64(len(word)) < shortest || !regexp.MustCompile(pattern).MatchString(word)
	})
	if len(from) == 0 {
		return "a"
	}
	return pick(t, from...)
}

func numberOf(t *rapid.T, s schema, fractions bool) any {
	if enum, ok := s["enum"].([]any); ok {
		return pick(t, enum...)
	}
	least, most := int64(-2), int64(8)
	if minimum, ok := s["minimum"].(int64); ok {
		least = minimum
	}
	if maximum, ok := s["maximum"].(int64); ok {
		most = max(maximum, least)
	}
	value := rapid.Int64Range(least, most).Draw(t, "number")
	if step, ok := s["multipleOf"].(int64); ok {
		value = value / step * step
	} else if fractions && value < most && maybe(t, 40) {
		return float64(value) + 0.5
	}
	return value
}

func listOf(t *rapid.T, s schema) any {
	items := s["items"].(schema)
	list := []any{}
	seen := map[string]bool{}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		item := valueOf(t, items)
		key := item
		switch s["x-kubernetes-list-type"] {
		case "map":
			fields, ok := item.(map[string]any)
			if !ok {
				continue
			}
			key = fields["k"]
		case "set":
		default:
			list = append(list, item)
			continue
		}
		if text := printed(key); !seen[text] {
			seen[text] = true
			list = append(list, item)
		}
	}
	return list
}

// objectOf returns an object with all required fields, most of the optional ones, and some undeclared ones
// if these are kept.
func objectOf(t *rapid.T, s schema) any {
	object := map[string]any{}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(schema)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || maybe(t, 90) {
			object[name] = valueOf(t, properties[name].(schema))
		}
	}
	if values, ok := s["additionalProperties"].(schema); ok {
		for _, name := range []string{"a", "x", "y.z/w"} {
			if maybe(t, 80) {
				object[name] = valueOf(t, values)
			}
		}
	}
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		for _, name := range []string{"a", "free", "n"} {
			if _, taken := object[name]; !taken && properties[name] == nil && maybe(t, 80) {
				object[name] = pick[any](t, "x", int64(3), map[string]any{"deep": "x"}, []any{"x", "x"}, map[string]any{})
			}
		}
	}
	return object
}
