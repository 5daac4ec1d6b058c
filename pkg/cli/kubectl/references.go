// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// depthLimit is the maximum depth of references; those of Roadstead's kinds are at most four levels
// deep.
const depthLimit = 12

// reference is a field of an object that names another one.
type reference struct {
	// field is the path of the field, such as spec.domainRef.
	field string
	// word is the name of the field without Ref, which is the name of the kind.
	word string
	// namespace is empty for the namespace of the object.
	kindName, namespace, name string
}

// secret reports whether this is a reference to a Secret, such as passwordSecretRef.
func (r reference) secret() bool {
	return strings.HasSuffix(strings.ToLower(r.word), "secret") || r.kindName == "Secret"
}

// referencesIn finds every field in a part of an object that ends in Ref or Refs and holds names, in the order of the paths.
func referencesIn(part any, path string) []reference {
	var found []reference
	collect(part, path, 0, &found)
	return found
}

func collect(value any, path string, depth int, into *[]reference) {
	if depth > depthLimit {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			field := path + "." + name
			if word, is := strings.CutSuffix(name, "Ref"); is {
				add(value[name], field, word, into)
			} else if word, is := strings.CutSuffix(name, "Refs"); is {
				each, _ := value[name].([]any)
				for i, one := range each {
					add(one, fmt.Sprintf("%s[%d]", field, i), word, into)
				}
			} else {
				collect(value[name], field, depth+1, into)
			}
		}
	case []any:
		for i, one := range value {
			collect(one, fmt.Sprintf("%s[%d]", path, i), depth+1, into)
		}
	}
}

func add(value any, field, word string, into *[]reference) {
	fields, ok := value.(map[string]any)
	if !ok {
		return
	}
	text := func(name string) string { text, _ := fields[name].(string); return text }
	if text("name") == "" {
		return
	}
	*into = append(*into, reference{field: field, word: word, kindName: text("kind"), namespace: text("namespace"), name: text("name")})
}

// kindOf returns the kind that a reference of a kind refers to, nil if it is not one of these
// kinds. Kinds of the same group take precedence.
func (r reference) kindOf(from *kind, among []*kind) *kind {
	wanted := r.kindName
	if wanted == "" {
		wanted = r.word
	}
	var found *kind
	for _, k := range among {
		if strings.EqualFold(k.Kind, wanted) && (found == nil || k.version.Group == from.version.Group) {
			found = k
		}
	}
	return found
}
