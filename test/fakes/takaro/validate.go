// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"slices"
	"sort"
)

// schema lists the keys that a body may contain. Other keys are refused, as the real API does at
// every level.
type schema struct{ fields []field }

// field is one key. All of its checks run in order, unless it is optional and absent or null.
type field struct {
	name     string
	optional bool
	checks   []check
	nested   *schema // the value must be an object that this schema accepts
}

// check is one rule of the class-validator library: its name, whether a value passes, and the
// message if it does not.
type check struct {
	rule string
	ok   func(v any) bool
	text func(property string, v any) string
}

// violation is one entry of details. Pointers distinguish an absent key from an empty one.
type violation struct {
	Target      any               `json:"target"`
	Value       *any              `json:"value,omitempty"`
	Property    string            `json:"property"`
	Children    *[]violation      `json:"children,omitempty"`
	Constraints map[string]string `json:"constraints,omitempty"`
}

// validate returns the violations in the order of the real validator: unknown keys first, then the
// fields.
func (s *schema) validate(target map[string]any) []violation {
	var out []violation
	for _, key := range sortedKeys(target) {
		if !slices.ContainsFunc(s.fields, func(f field) bool { return f.name == key }) {
			v := target[key]
			out = append(out, violation{Target: target, Value: &v, Property: key, Constraints: map[string]string{
				"whitelistValidation": "property " + key + " should not exist"}})
		}
	}
	for _, f := range s.fields {
		if v, bad := f.validate(target); bad {
			out = append(out, v)
		}
	}
	return out
}

func (f field) validate(target map[string]any) (violation, bool) {
	v, present := target[f.name]
	if f.optional && v == nil {
		return violation{}, false
	}
	out := violation{Target: target, Property: f.name, Children: &[]violation{}}
	if present {
		out.Value = &v
	}
	out.Constraints = map[string]string{}
	for _, c := range f.checks {
		if !c.ok(v) {
			out.Constraints[c.rule] = c.text(f.name, v)
		}
	}
	if f.nested != nil {
		if object, isObject := v.(map[string]any); isObject {
			children := f.nested.validate(object)
			out.Children = &children
		} else {
			out.Constraints["nestedValidation"] = "nested property " + f.name + " must be either object or array"
		}
	}
	return out, len(out.Constraints) > 0 || len(*out.Children) > 0
}

// validateParams validates values of the path or query: it returns one violation with the
// parameters as target, or none.
func validateParams(fields []field, target map[string]any) []violation {
	return (&schema{fields: fields}).validate(target)
}

func validationError(v []violation) *apiError { return invalid("Validation error", v) }

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
