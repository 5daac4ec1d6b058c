// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"fmt"
	"maps"
	"strings"
)

// amendments are the parts of a CRD's schema that the published schema does not contain, by the
// path of the field: bounds, enums, defaults and rules. "[]" is a step into the items of a list,
// and "" is the entire object.
type amendments map[string]node

// apply adds the amendments to a schema. It returns an error for a path that the schema does not
// contain, which means that the kind has changed.
func (a amendments) apply(schema node) error {
	for path, more := range a {
		at := schema
		for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
			var next node
			if step == "[]" {
				next, _ = at["items"].(node)
			} else if properties, ok := at["properties"].(node); ok {
				next, _ = properties[step].(node)
			}
			if next == nil {
				return fmt.Errorf("peer: the schema has no field %q: mend its amendments", path)
			}
			at = next
		}
		maps.Copy(at, more)
	}
	return nil
}

// bounded returns the length limits of a string.
func bounded(least, most int) node {
	bounds := node{"maxLength": int64(most)}
	if least > 0 {
		bounds["minLength"] = int64(least)
	}
	return bounds
}

// with merges bounds and rules.
func with(nodes ...node) node {
	all := node{}
	for _, one := range nodes {
		maps.Copy(all, one)
	}
	return all
}

// rules returns CEL rules from alternating expressions and messages.
func rules(texts ...string) node {
	var all []any
	for i := 0; i+1 < len(texts); i += 2 {
		all = append(all, node{"rule": texts[i], "message": texts[i+1]})
	}
	return node{"x-kubernetes-validations": all}
}

// enum returns an enum with a default. An empty default means none.
func enum(standard string, values ...any) node {
	choice := node{"enum": values}
	if standard != "" {
		choice["default"] = standard
	}
	return choice
}

// conditions adds the bounds of the type Condition that are usual in CRDs.
func conditions(a amendments) amendments {
	maps.Copy(a, amendments{
		"status.conditions":            {"maxItems": int64(32)},
		"status.conditions.[].type":    bounded(0, 316),
		"status.conditions.[].status":  enum("", "True", "False", "Unknown"),
		"status.conditions.[].reason":  with(bounded(1, 1024), node{"pattern": `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`}),
		"status.conditions.[].message": bounded(0, 32768),
	})
	return a
}
