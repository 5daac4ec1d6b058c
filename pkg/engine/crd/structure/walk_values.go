// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"maps"
	"slices"
	"strings"
)

// values compares the conditions on scalars, and the lengths of lists and maps.
func (w *walk) values(old, new *schema, at spot) {
	w.enum(old, new, at)
	if known, finite := old.finite(); finite && w.eachKnown(known, old, new, at) {
		return
	}
	w.limits(old, new, at)
	w.multiples(old, new, at)
	w.patterns(old, new, at)
	w.formats(old, new, at)
}

// finite returns all values that a node allows, if they can be enumerated.
func (s *schema) finite() ([]any, bool) {
	if s.nullable {
		return nil, false
	}
	if s.enum != nil {
		var values []any
		for _, key := range sortedKeys(s.enum) {
			if known, ok := s.leaf(s.enum[key]); ok || !known {
				values = append(values, s.enum[key])
			}
		}
		return values, true
	}
	if s.types == typeBoolean {
		return []any{false, true}, true
	}
	return nil, false
}

// eachKnown checks the new conditions against each value that could be stored, and reports whether
// every value could be decided. Values that the new enum itself rejects are reported by enum.
func (w *walk) eachKnown(values []any, old, new *schema, at spot) bool {
	plain := *new
	plain.enum = nil
	var refused []string
	for _, value := range values {
		if _, listed := new.enum[shownWhole(value)]; new.enum != nil && !listed {
			continue
		}
		known, ok := plain.leaf(value)
		if !known {
			return false
		}
		if !ok {
			refused = append(refused, shownWhole(value))
		}
	}
	if len(refused) > 0 {
		finding := w.find(leafID(old, new), at, nil, nil, "%s was allowed and is rejected by other conditions on the field now",
			strings.Join(refused, ", "))
		if at.ruled(new) && slices.ContainsFunc(sortedKeys(new.formats), func(format string) bool {
			return typedFormats[format] &&
				!old.formats[format]
		}) {
			unevaluable(finding)
		}
	}
	return true
}

// leafID returns the rule of the condition that changed on a value with a finite set of values.
func leafID(old, new *schema) string {
	switch {
	case !equalKeys(old.patterns, new.patterns):
		return "502"
	case !equalKeys(old.formats, new.formats):
		return "505"
	case !equalKeys(old.multiples, new.multiples):
		return "411"
	}
	return "401"
}

func equalKeys[K ~string | ~float64](one, other map[K]bool) bool {
	return maps.Equal(one, other)
}

// enum compares lists of allowed values.
func (w *walk) enum(old, new *schema, at spot) {
	switch {
	case old.enum == nil && new.enum == nil:
	case old.enum == nil:
		if known, finite := old.finite(); finite && new.lists(known) {
			return
		}
		w.find(folded(new, "enum", "B10", "303"), at, nil, new.enumShown(), "values other than %s are invalid",
			strings.Join(sortedKeys(new.enum), ", "))
	case new.enum == nil:
		w.find("304", at, old.enumShown(), nil,
			"any value is allowed now: readers may receive values that they do not know, and they become invalid after a rollback")
	default:
		w.enumValues(old, new, at)
	}
}

// enumShown returns the allowed values.
func (s *schema) enumShown() any {
	values := make([]any, 0, len(s.enum))
	for _, key := range sortedKeys(s.enum) {
		values = append(values, s.enum[key])
	}
	return values
}

func (s *schema) lists(values []any) bool {
	for _, value := range values {
		if _, ok := s.enum[shownWhole(value)]; !ok {
			return false
		}
	}
	return true
}

func (w *walk) enumValues(old, new *schema, at spot) {
	var gone, fresh []string
	integers := true
	for _, key := range sortedKeys(old.enum) {
		if _, kept := new.enum[key]; !kept {
			if known, ok := old.leaf(old.enum[key]); known && !ok {
				continue // it was never valid
			}
			gone = append(gone, key)
			integers = integers && typeOfValue(old.enum[key]) == typeInteger
		}
	}
	for _, key := range sortedKeys(new.enum) {
		if _, was := old.enum[key]; !was {
			fresh = append(fresh, key)
		}
	}
	if len(gone) > 0 {
		id := "301"
		switch {
		case new.folded["enum"]:
			id = "B10"
		case at.item:
			id = "307"
		case len(fresh) > 0:
			id = "306"
		case integers:
			id = "308"
		}
		finding := w.find(id, at, old.enumShown(), new.enumShown(), "%s is no longer allowed: stored objects that have it can be "+
			"neither recreated nor edited here, and writers that send it are rejected", strings.Join(gone, ", "))
		for _, value := range gone {
			if alike := lookalikeValue(value, fresh); alike != "" {
				finding.Message += "; " + value + " looks like a rename to " + alike
				finding.FixHint = value + " looks like a rename to " + alike + ". " + finding.FixHint
			}
		}
	}
	if len(fresh) > 0 {
		w.find("302", at, old.enumShown(), new.enumShown(),
			"%s is also allowed now: readers that know only the old values may receive it, and it becomes invalid after a rollback",
			strings.Join(fresh, ", "))
	}
}

// folded returns the rule for a keyword, which depends on whether the keyword was folded from an allOf.
func folded(s *schema, keyword, inside, direct string) string {
	if s.folded[keyword] {
		return inside
	}
	return direct
}

// multiples compares multipleOf.
func (w *walk) multiples(old, new *schema, at spot) {
	if equalKeys(old.multiples, new.multiples) || old.types&typeNumber == 0 {
		return
	}
	for _, factor := range sortedKeys(new.multiples) {
		if !old.multipleOf(factor) {
			w.find("411", at, sortedKeys(old.multiples), sortedKeys(new.multiples), "numbers that are not a multiple of %s are invalid",
				shownWhole(factor))
			return
		}
	}
	w.find("412", at, sortedKeys(old.multiples), sortedKeys(new.multiples), "more numbers are allowed, which become invalid after a rollback")
}

func (s *schema) multipleOf(factor float64) bool {
	if s.types&typeNumber == typeInteger && factor == 1 {
		return true
	}
	for known := range s.multiples {
		if quotient := known / factor; quotient == float64(int64(quotient)) && quotient*factor == known {
			return true
		}
	}
	return false
}
