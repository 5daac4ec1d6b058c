// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"reflect"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// conditions compares alternatives and negations. Only what cannot be proved to hold for every value that was valid hurts.
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
		text := "values that match none of the %d alternatives are invalid; it could not be proved that every value that was valid matches one"
		w.broken(w.find("B04", at, nil, nil, text, len(group)), new, at)
		return
	}
	for _, group := range old.anyOf {
		if !hasGroup(new.anyOf, group) && !newProver(w.c.patterns).someBranch(new, group) {
			w.find("B05", at, nil, nil, "more alternatives are allowed, which a rollback makes invalid")
			return
		}
	}
}

func (w *walk) oneOf(old, new *schema, at spot) {
	for _, group := range new.oneOf {
		if hasGroup(old.oneOf, group) || newProver(w.c.patterns).oneBranch(old, group) {
			continue
		}
		id, text := "B01", "values that match none or several of the %d alternatives are invalid"
		switch {
		case old.folded["oneOf"]:
			id, text = "B03", "there are %d alternatives now and just one of them may match: values that match an old one and a new one are invalid"
		case len(old.oneOf) > 0:
			id, text = "B02", "values that only matched an alternative that is gone or narrower are invalid; %d are left, and one of them must match"
			if len(group) > len(old.oneOf[0]) {
				id, text = "B03", "there are %d alternatives now and just one of them may match: values that match an old one and a new one are invalid"
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
			w.find("B13", at, nil, nil, "the alternatives are gone: more is allowed, which a rollback makes invalid")
		} else {
			w.find("B03", at, nil, nil, "more alternatives are allowed, none of which a value that was valid can match too; a rollback "+
				"makes them invalid").Verdict = rules.Safe
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
		w.broken(w.find(id, at, nil, nil, "values that match what is forbidden now are invalid"), new, at)
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
		w.find(id, at, nil, nil, "less is forbidden: more is allowed, which a rollback makes invalid")
		return
	}
}

// broken makes a finding worse where the rule is checked even when nothing but metadata changes.
func (w *walk) broken(finding *rules.Finding, new *schema, at spot) {
	if new.bricks(at) {
		brick(finding)
	}
}

// brick does the same for a rule on the parent of a spot.
func (s spot) brick(finding *rules.Finding) {
	if above := len(s.above); above > 0 && s.above[above-1].bricks(spot{root: above == 1, atomic: s.atomic}) {
		brick(finding)
	}
}

func brick(finding *rules.Finding) {
	finding.Verdict = rules.Destructive
	finding.Message += "; such objects can then no longer be updated at all, not even their finalizers"
}

func hasGroup(groups [][]*schema, group []*schema) bool {
	return slices.ContainsFunc(groups, func(known []*schema) bool { return reflect.DeepEqual(known, group) })
}

func hasBody(bodies []*schema, body *schema) bool {
	return slices.ContainsFunc(bodies, func(known *schema) bool { return reflect.DeepEqual(known, body) })
}
