// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// node is one JSON object of a schema.
type node = map[string]any

// Schema returns the structural schema of a kind ("Domain") from the OpenAPI document (version 3)
// of its API group, as an aggregation layer serves it. References are replaced by their targets.
func Schema(document []byte, kind string) (map[string]any, error) {
	var all struct {
		Components struct {
			Schemas map[string]node `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &all); err != nil {
		return nil, fmt.Errorf("peer: the OpenAPI document: %w", err)
	}
	for name, one := range all.Components.Schemas {
		if strings.HasSuffix(name, "."+kind) {
			schema := inline(one, all.Components.Schemas)
			schema["properties"].(node)["metadata"] = node{"type": "object"}
			return schema, nil
		}
	}
	return nil, fmt.Errorf("peer: the OpenAPI document has no schema of %s", kind)
}

// inline replaces references by their targets, and drops what a CRD's schema must not contain.
func inline(in node, all map[string]node) node {
	out := node{}
	for key, value := range in {
		switch {
		case key == "allOf":
			for _, one := range value.([]any) {
				addTo(out, inline(one.(node), all))
			}
		case key == "$ref":
			addTo(out, inline(all[strings.TrimPrefix(value.(string), "#/components/schemas/")], all))
		case key == "properties":
			properties := node{}
			for name, property := range value.(node) {
				properties[name] = inline(property.(node), all)
			}
			out[key] = properties
		case key == "items", key == "additionalProperties":
			if nested, ok := value.(node); ok {
				value = inline(nested, all)
			}
			out[key] = value
		case key == "default" && isEmpty(value):
			// Go types use an empty default for "not null".
		case key == "x-kubernetes-group-version-kind", key == "x-kubernetes-patch-strategy", key == "x-kubernetes-patch-merge-key":
		default:
			out[key] = value
		}
	}
	return out
}

// addTo adds the keys of more that out does not contain: keys next to a reference take precedence.
func addTo(out, more node) {
	for key, value := range more {
		if _, own := out[key]; !own {
			out[key] = value
		}
	}
}

func isEmpty(value any) bool {
	m, ok := value.(node)
	return ok && len(m) == 0 || value == ""
}
