// SPDX-License-Identifier: Apache-2.0

package live

import (
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// node is the same place in the old and in the new schema. A side is nil if the place is not declared there.
type node struct{ old, new *structuralschema.Structural }

// field returns the step to a field of an object: its name if one of the schemas declares it, otherwise ".*".
func (n node) field(name string) (step string, child node) {
	declared := false
	at := func(s *structuralschema.Structural) *structuralschema.Structural {
		if s == nil {
			return nil
		}
		if property, ok := s.Properties[name]; ok {
			declared = true
			return &property
		}
		if s.AdditionalProperties != nil {
			return s.AdditionalProperties.Structural
		}
		return nil
	}
	child = node{at(n.old), at(n.new)}
	if declared || typeOrMeta[name] && (embeds(n.old) || embeds(n.new)) {
		return "." + name, child
	}
	return ".*", child
}

// typeOrMeta are the fields that every resource has, whether declared or not.
var typeOrMeta = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

func embeds(s *structuralschema.Structural) bool { return s != nil && s.XEmbeddedResource }

// item returns the step to an item of a list.
func (n node) item() (step string, child node) {
	at := func(s *structuralschema.Structural) *structuralschema.Structural {
		if s == nil {
			return nil
		}
		return s.Items
	}
	return "[*]", node{at(n.old), at(n.new)}
}

// placeOf converts the path of an error in an object (.spec.list[0].x, .spec.map.a.b/c) to the path in
// the schema (.spec.list[*].x, .spec.map.*). Names may contain dots: names that are declared, or that the
// object contains, are recognized.
func placeOf(path string, value any, at node) string {
	var place strings.Builder
	path = strings.TrimPrefix(path, ".")
	if path == "<nil>" {
		return ""
	}
	for path != "" {
		name, rest, indexed := firstStep(path, value, at)
		var step string
		if items, ok := value.([]any); ok && indexed {
			step, at = at.item()
			value = itemAt(items, name)
		} else {
			step, at = at.field(name)
			if place.Len() == 0 && typeOrMeta[name] {
				step = "." + name
			}
			fields, _ := value.(map[string]any)
			value = fields[name]
		}
		place.WriteString(step)
		path = strings.TrimPrefix(rest, ".")
	}
	return place.String()
}

// firstStep splits the first name or index off a path.
func firstStep(path string, value any, at node) (name, rest string, indexed bool) {
	if path[0] == '[' {
		for i := 1; i < len(path); i++ {
			if path[i] == ']' && endsAt(path, i+1) {
				return path[1:i], path[i+1:], true
			}
		}
		return path[1:], "", true
	}
	longest := ""
	consider := func(name string) {
		if len(name) > len(longest) && strings.HasPrefix(path, name) && endsAt(path, len(name)) {
			longest = name
		}
	}
	for _, s := range []*structuralschema.Structural{at.old, at.new} {
		if s != nil {
			for name := range s.Properties {
				consider(name)
			}
		}
	}
	if fields, ok := value.(map[string]any); ok {
		for name := range fields {
			consider(name)
		}
	}
	if longest == "" {
		end := strings.IndexAny(path, ".[")
		if end <= 0 {
			return path, "", false
		}
		longest = path[:end]
	}
	return longest, path[len(longest):], false
}

func endsAt(path string, i int) bool { return i == len(path) || path[i] == '.' || path[i] == '[' }

// itemAt returns the item for an index. For the keys of server-side apply it returns the first item.
func itemAt(items []any, index string) any {
	i := 0
	for _, digit := range index {
		if digit < '0' || digit > '9' || i >= len(items) {
			i = 0
			break
		}
		i = 10*i + int(digit-'0')
	}
	if i < len(items) {
		return items[i]
	}
	return nil
}
