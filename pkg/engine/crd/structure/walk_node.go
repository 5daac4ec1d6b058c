// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// node compares the old and the new node at a spot.
func (w *walk) node(old, new *schema, at spot) {
	if old == nil || new == nil || len(at.above) > depthLimit {
		return
	}
	w.nullable(old, new, at)
	w.fallback(old, new, at)
	if !w.types(old, new, at) {
		return
	}
	types := old.types & new.types
	if types.has(typeObject) {
		w.object(old, new, at)
	}
	if types.has(typeArray) {
		w.list(old, new, at)
	}
	w.values(old, new, at)
	w.conditions(old, new, at)
	w.validations(old, new, at)
}

// types compares the JSON types. It reports whether the remaining keywords are to be compared.
func (w *walk) types(old, new *schema, at spot) bool {
	if old.types == new.types {
		return true
	}
	if new.types.has(old.types) {
		id := "204"
		switch {
		case new.types == anyType:
			id = "219"
		case old.types == typeInteger && new.types == typeNumber:
			id = "202"
		case at.value:
			id = "214"
		}
		w.find(id, at, old.types.String(), new.types.String(),
			"the type widens from %s to %s: typed readers may receive values that they cannot decode", old.types, new.types)
		return true
	}
	id := typeChangeID(old.types, new.types, at)
	finding := w.find(id, at, old.types.String(), new.types.String(),
		"%s is required where %s was allowed: stored values of other types are invalid, and writers that send them are rejected",
		new.types, old.types)
	switch lost := old.types &^ new.types; {
	case lost&typeObject != 0 && old.holdsKeys(0):
		finding.MarkPruned()
		finding.Message = "the keys of stored objects are pruned, and the remaining value is invalid: " + finding.Message
	case lost&typeArray != 0 && old.items.holdsKeys(0):
		finding.MarkPruned()
		finding.Message = "the keys of objects in stored lists are pruned, and the remaining value is invalid: " + finding.Message
	case lost&typeArray != 0 && new.types == typeObject:
		finding.MarkPruned()
		finding.Message = "a stored list cannot become an object, and the next write replaces it: " + finding.Message
	case at.ruled(new):
		unevaluable(finding)
	}
	return old.types&new.types != 0 && finding.Verdict != rules.Destructive
}

// ruled reports whether the node or a node above it has a CEL rule. The API server rejects every
// update of an object for which such a rule cannot be evaluated because a value has another type.
func (s spot) ruled(node *schema) bool {
	return len(node.rules) > 0 || slices.ContainsFunc(s.above, func(parent *schema) bool { return len(parent.rules) > 0 })
}

func unevaluable(finding *rules.Finding) {
	finding.Verdict = rules.Destructive
	finding.Message += "; a validation rule on the field or above it can then not be evaluated, which blocks even updates of metadata"
}

func typeChangeID(old, new jsonTypes, at spot) string {
	switch {
	case old == anyType:
		return "220"
	case at.value:
		return "212"
	case old == intOrString:
		return "205"
	case old == typeNumber && new == typeInteger:
		return "203"
	case old == typeBoolean || new == typeBoolean:
		return "221"
	case old == typeArray || new == typeArray:
		return "207"
	}
	return "201"
}

// holdsKeys reports whether a value may contain objects with keys, which are lost if they are undeclared.
func (s *schema) holdsKeys(depth int) bool {
	switch {
	case s == nil || depth > depthLimit:
		return false
	case s.preserve, s.types.has(typeObject) && (len(s.properties) > 0 || s.additional != nil || s.anyValue || s.embedded):
		return true
	}
	return s.types.has(typeArray) && s.items.holdsKeys(depth+1)
}

// nullable compares whether null is allowed.
func (w *walk) nullable(old, new *schema, at spot) {
	switch {
	case old.nullable == new.nullable:
	case new.nullable:
		w.find("704", at, false, true, "null is allowed now: readers may receive it")
	case new.anything():
	case at.item:
		w.find("703", at, true, false, "null items of stored lists are invalid, and writers that send them are rejected")
	case new.defaults:
		w.find("702", at, true, false, "a stored null silently becomes the default %s, which has another meaning", shownWhole(new.fallback))
	case at.value:
		w.find("706", at, true, false, "entries whose value is null are dropped from stored maps")
	case at.required:
		at.brick(w.find("705", at, true, false, "a stored null is dropped, so the required field is missing"))
	default:
		w.find("701", at, true, false, "a stored null is dropped: the field reads as unset")
	}
}

// fallback compares the defaults.
func (w *walk) fallback(old, new *schema, at spot) {
	switch {
	case !old.defaults && new.defaults:
		id := "601"
		text := "objects that do not set the field read as %s, and the next write stores that value"
		switch {
		case at.required:
			return // reported by required
		case at.item || anyItem(at):
			id = "610"
		case at.optional:
			id, text = "605", "objects that set the parent but not the field read as %s"
		case new.types.has(typeObject) && new.defaultsBelow(0):
			id, text = "606", "every object gets the default %s and the defaults of its fields"
		}
		w.find(id, at, nil, new.fallback, text, shownWhole(new.fallback))
	case old.defaults && !new.defaults && at.required:
		at.brick(w.find("604", at, old.fallback, nil, "writers that omit the field are rejected, and so are stored objects in which "+
			"the field was never written"))
	case old.defaults && !new.defaults:
		w.find("603", at, old.fallback, nil, "the field reads as unset where the default %s was set before", shownWhole(old.fallback))
	case old.defaults && shownWhole(old.fallback) != shownWhole(new.fallback):
		w.find("602", at, old.fallback, new.fallback, "the default changes: new objects get %s, objects in which %s was stored keep "+
			"it, and objects in which the field was never written change", shownWhole(new.fallback), shownWhole(old.fallback))
	}
}

// anyItem reports whether the spot is below a list.
func anyItem(at spot) bool {
	return slices.ContainsFunc(at.above, func(parent *schema) bool { return parent.types == typeArray })
}

func (s *schema) defaultsBelow(depth int) bool {
	if depth > depthLimit {
		return false
	}
	for _, child := range s.properties {
		if child.defaults || child.defaultsBelow(depth+1) {
			return true
		}
	}
	return false
}
