// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"fmt"
	"maps"
	"strings"
)

// amendments are what the published schema does not say and a CRD can, by the path of the field: bounds, enums, defaults
// and rules. "[]" goes into the items of a list, "" is the whole object.
type amendments map[string]node

// apply adds them to a schema. A path that the schema does not have is an error: the kind has changed.
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

// bounded is a text of a length.
func bounded(least, most int) node {
	bounds := node{"maxLength": int64(most)}
	if least > 0 {
		bounds["minLength"] = int64(least)
	}
	return bounds
}

// with joins bounds and rules.
func with(nodes ...node) node {
	all := node{}
	for _, one := range nodes {
		maps.Copy(all, one)
	}
	return all
}

// rules are CEL expressions with their messages, in turns.
func rules(texts ...string) node {
	var all []any
	for i := 0; i+1 < len(texts); i += 2 {
		all = append(all, node{"rule": texts[i], "message": texts[i+1]})
	}
	return node{"x-kubernetes-validations": all}
}

// enum is a choice with a default; "" is none.
func enum(standard string, values ...any) node {
	choice := node{"enum": values}
	if standard != "" {
		choice["default"] = standard
	}
	return choice
}

// conditions are the bounds that the type Condition has in the CRDs of every project that uses it.
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
