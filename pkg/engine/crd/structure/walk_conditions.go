// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"reflect"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// conditions compares alternatives and negations. A condition is reported only if it cannot be proved
// to hold for every value that was valid before.
func (w *walk) conditions(old, new *schema, at spot) {
	if len(old.anyOf)+len(old.oneOf)+len(old.not)+len(new.anyOf)+len(new.oneOf)+len(new.not) == 0 {
		return
	}
	w.anyOf(old, new, at)
	w.oneOf(old, new, at)
	w.not(old, new, at)
}

func (w *walk) anyOf(old, new *schema, at spot) {
	for _, group := range new.anyOf {
		if hasGroup(old.anyOf, group) || newProver(w.c.patterns).someBranch(old, group) {
			continue
		}
		text := "values that match none of the %d alternatives are invalid; it could not be proved that every valid value matches one"
		w.broken(w.find("B04", at, nil, nil, text, len(group)), new, at)
		return
	}
	for _, group := range old.anyOf {
		if !hasGroup(new.anyOf, group) && !newProver(w.c.patterns).someBranch(new, group) {
			w.find("B05", at, nil, nil, "more alternatives are allowed; values that match only those become invalid after a rollback")
			return
		}
	}
}

func (w *walk) oneOf(old, new *schema, at spot) {
	for _, group := range new.oneOf {
		if hasGroup(old.oneOf, group) || newProver(w.c.patterns).oneBranch(old, group) {
			continue
		}
		id, text := "B01", "values that match none or more than one of the %d alternatives are invalid"
		switch {
		case old.folded["oneOf"]:
			id, text = "B03", "exactly one of %d alternatives must match now: values that match both an old and a new alternative are invalid"
		case len(old.oneOf) > 0:
			id, text = "B02", "values that matched only a removed or narrowed alternative are invalid; exactly one of the remaining %d must match"
			if len(group) > len(old.oneOf[0]) {
				id, text = "B03", "exactly one of %d alternatives must match now: values that match both an old and a new alternative are invalid"
			}
		}
		w.broken(w.find(id, at, nil, nil, text, len(group)), new, at)
		return
	}
	for _, group := range old.oneOf {
		if hasGroup(new.oneOf, group) || newProver(w.c.patterns).oneBranch(new, group) {
			continue
		}
		if len(new.oneOf) == 0 {
			w.find("B13", at, nil, nil, "the alternatives were removed: more values are allowed, which become invalid after a rollback")
		} else {
			w.find("B03", at, nil, nil, "more alternatives are allowed, and no value that was valid before matches them; values that "+
				"match them become invalid after a rollback").Verdict = rules.Safe
		}
		return
	}
}

func (w *walk) not(old, new *schema, at spot) {
	for _, body := range new.not {
		if hasBody(old.not, body) || newProver(w.c.patterns).excluded(old, body) {
			continue
		}
		id := "B07"
		if len(old.not) > 0 {
			id = "B09"
		}
		w.broken(w.find(id, at, nil, nil, "values that match the new 'not' condition are invalid"), new, at)
		return
	}
	for _, body := range old.not {
		if hasBody(new.not, body) || newProver(w.c.patterns).excluded(new, body) {
			continue
		}
		id := "B11"
		if len(new.not) == 0 {
			id = "B08"
		}
		w.find(id, at, nil, nil, "the 'not' condition is narrower or was removed: more values are allowed, which become invalid "+
			"after a rollback")
		return
	}
}

// broken raises a finding to destructive if the rule is evaluated even when only metadata changes.
func (w *walk) broken(finding *rules.Finding, new *schema, at spot) {
	if new.bricks(at) {
		brick(finding)
	}
}

// brick raises a finding to destructive if a rule on the parent of the spot is evaluated even when only metadata changes.
func (s spot) brick(finding *rules.Finding) {
	if above := len(s.above); above > 0 && s.above[above-1].bricks(spot{root: above == 1, atomic: s.atomic}) {
		brick(finding)
	}
}

func brick(finding *rules.Finding) {
	finding.Verdict = rules.Destructive
	finding.Message += "; such objects can no longer be updated at all, and even their finalizers cannot be removed"
}

func hasGroup(groups [][]*schema, group []*schema) bool {
	return slices.ContainsFunc(groups, func(known []*schema) bool { return reflect.DeepEqual(known, group) })
}

func hasBody(bodies []*schema, body *schema) bool {
	return slices.ContainsFunc(bodies, func(known *schema) bool { return reflect.DeepEqual(known, body) })
}
