// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// requires reports whether every valid object has a property.
func (s *schema) requires(name string) bool {
	if s.required[name] || s.embedded && isMetadata(name) {
		return true
	}
	for _, groups := range [][][]*schema{s.anyOf, s.oneOf} {
		for _, branches := range groups {
			every := true
			for _, branch := range branches {
				every = every && branch.required[name]
			}
			if every {
				return true
			}
		}
	}
	return false
}

// required compares which properties are required.
func (w *walk) required(old, new *schema, at spot) {
	for _, name := range sortedKeys(old.required) {
		if !new.required[name] && new.properties[name] != nil {
			next := at.property(name, old, new)
			if id := alternativeLoosened(old, new); id != "" {
				w.find(id, next, "required", "one of several",
					"more alternatives are allowed; values that match only those become invalid after a rollback").Verdict = rules.Safe
				continue
			}
			w.find("106", next, "required", "optional",
				"objects without the field are valid now: readers that rely on the field may receive them, and they become invalid after a rollback")
		}
	}
	for _, name := range sortedKeys(new.required) {
		if !old.requires(name) {
			w.newlyRequired(old, new, name, at)
		}
	}
}

// alternativeLoosened returns the rule for a property that a single alternative required and that only
// one of several alternatives requires now. It returns "" for any other property.
func alternativeLoosened(old, new *schema) string {
	switch {
	case old.folded["anyOf"] && len(new.anyOf) > 0:
		return "B05"
	case old.folded["oneOf"] && len(new.oneOf) > 0:
		return "B03"
	}
	return ""
}

func (w *walk) newlyRequired(old, new *schema, name string, at spot) {
	next := at.property(name, old, new)
	was, is := old.properties[name], new.properties[name]
	if is != nil && is.defaults {
		switch {
		case was == nil:
			w.find("104", next, nil, is.fallback, "a new required field with a default: stored objects read as %s",
				shownWhole(is.fallback))
		case was.defaults:
			w.find("611", next, "optional", "required",
				"the field becomes required; its default already ensures that it is set").Verdict = rules.Safe
		default:
			w.find("611", next, "optional", "required, default "+shownWhole(is.fallback),
				"the field becomes required and gets a default: objects without it read as %s", shownWhole(is.fallback))
		}
		return
	}
	text := "writers that omit the field are rejected"
	id := "105"
	switch {
	case at.root:
		w.find("R02", next, nil, "required", "stored objects that lack the field can no longer be updated at all, and even their "+
			"finalizers cannot be removed: the condition is at the root, whose metadata changes with every write")
		return
	case new.bricks(at) && was == nil && old.preserve:
		id = "116"
	case new.bricks(at):
		id = "R01"
	case new.folded["oneOf"] && len(old.oneOf) > 0:
		id = "B02"
	case new.folded["anyOf"] && len(old.anyOf) > 0:
		id = "B04"
	case at.status():
		id, text = "114", "writers of the status that omit the field are rejected"
	case was == nil && is != nil && is.types == typeObject && len(is.required) > 0:
		id = "118"
	case was == nil:
		id = "103"
	case at.absent:
		id = "108"
	}
	if id == "116" || id == "R01" {
		text = "stored objects that lack the field and hold undeclared keys can no longer be updated at all, and even their " +
			"finalizers cannot be removed, because values with undeclared keys never compare equal; " + text
	} else {
		text += "; stored objects that lack it can be neither recreated nor edited here"
	}
	w.find(id, next, nil, "required", "%s", text)
}

// bricks reports whether a rule on this node is evaluated even when only metadata changes. The API
// server ignores a violated rule if the value did not change, but a value with undeclared keys never
// compares equal to itself (k8s.io/apiserver pkg/cel/common/equality.go). An atomic list is compared
// as one value, which does compare equal.
func (s *schema) bricks(at spot) bool {
	return at.root || !at.atomic && s.holdsUndeclared(0)
}

func (s *schema) holdsUndeclared(depth int) bool {
	switch {
	case s == nil || depth > depthLimit:
		return false
	case s.preserve:
		return true
	case s.types == typeArray:
		return s.listType == "map" && s.items.holdsUndeclared(depth+1)
	case s.additional.holdsUndeclared(depth + 1):
		return true
	}
	for _, child := range s.properties {
		if child.holdsUndeclared(depth + 1) {
			return true
		}
	}
	return false
}
