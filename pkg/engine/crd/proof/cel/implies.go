// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strconv"
	"strings"
)

// Implies reports whether a new rule is true wherever all old rules are true. False means that there is no
// proof.
//
// Old rules that use oldSelf are not evaluated when an object is created, so they are used only for a new
// rule that does the same. Whether oldSelf is optional is not visible in the text: the caller must pass only
// rules of the same node, and, if they use oldSelf, only rules with the same optionalOldSelf as the new one.
//
// A schema can be used in the proof by passing its keywords as old rules: `size(self.l) <= 16`, and, below a
// list, `self.l.all(x, size(x.m) <= 8 && x.kind in ['a', 'b'])`. Such a rule must be true for all old objects
// as written, so optional fields need a test: `!has(self.l) || self.l.all(x, !has(x.m) || size(x.m) <= 8)`.
// Types are not assumed: ints are added only if `type(x.n) == int` is given; sizes are always ints.
func Implies(old []string, new string) bool {
	return implies(old, new, func(t *term) *term { return t })
}

// implies implements Implies for rules that are simplified first.
func implies(old []string, new string, simplify func(*term) *term) bool {
	goal, err := Parse(new)
	if err != nil {
		return contains(old, new)
	}
	root := normal(simplify(goal.root))
	var given []*term
	for _, rule := range old {
		parsed, err := Parse(rule)
		if err != nil || parsed.root.uses(oldSelf) && !goal.root.uses(oldSelf) {
			continue
		}
		one := normal(simplify(parsed.root))
		if one.key == root.key {
			return true
		}
		given = append(given, one)
	}
	return follows(given, root, false) || follows(given, root, true)
}

// follows reports whether a condition is true where others are, all in normal form. Distinguishing cases by
// certain atoms takes many steps, so it is tried separately.
func follows(given []*term, goal *term, excludedMiddle bool) bool {
	k := newKnown(&prover{steps: maxProofSteps, patterns: maxPatternSteps, excludedMiddle: excludedMiddle})
	for _, one := range given {
		k.learn(k.statement(one))
	}
	return k.proves(k.statement(goal))
}

func contains(rules []string, rule string) bool {
	for _, one := range rules {
		if strings.TrimSpace(one) == strings.TrimSpace(rule) {
			return true
		}
	}
	return false
}

// proves reports whether a formula follows from the known facts.
func (k *known) proves(goal formula) bool {
	if !k.spend(1) {
		return false
	}
	if k.broken {
		return true
	}
	if goal.is == both {
		for _, sub := range goal.subs {
			if !k.proves(sub) {
				return false
			}
		}
		return true
	}
	if goal.is == unknown {
		return false
	}
	return k.shows(goal) || k.splits(goal)
}

// shows reports whether a formula follows without distinguishing cases.
func (k *known) shows(goal formula) bool {
	if !k.spend(1) {
		return false
	}
	switch goal.is {
	case always:
		return true
	case both:
		for _, sub := range goal.subs {
			if !k.shows(sub) {
				return false
			}
		}
		return true
	case either:
		for _, sub := range goal.subs {
			if k.shows(sub) {
				return true
			}
		}
		return false
	case single:
		return k.showsFact(goal.fact)
	default:
		return false
	}
}

// splits reports whether a formula follows in all cases of a clause. Each clause is tried alone first, then
// all clauses together.
func (k *known) splits(goal formula) bool {
	if len(k.clauses) == 0 {
		return k.opens(goal)
	}
	if len(k.clauses) > 1 {
		for _, clause := range k.clauses {
			alone := k.clone()
			alone.clauses = nil
			if alone.inAllCases(clause, goal) {
				return true
			}
		}
	}
	rest := k.clone()
	rest.clauses = k.clauses[1:]
	return rest.inAllCases(k.clauses[0], goal)
}

func (k *known) inAllCases(clause, goal formula) bool {
	for _, one := range clause.subs {
		branch := k.clone()
		branch.learn(one)
		if !branch.proves(goal) {
			return false
		}
	}
	return true
}

func (k *known) showsFact(goal fact) bool {
	if k.facts[goal.key()] || goal.holds && k.present[goal.atom.key] {
		return true
	}
	if k.compares(goal) || k.within(goal) {
		return true
	}
	if c, ok := constraintOf(goal); ok && k.meets(c) {
		return true
	}
	if goal.holds && goal.atom.sameOnBothSides() && k.readable(goal.atom.args[0]) {
		return true
	}
	return goal.holds && (goal.atom.isQuantifier() && k.quantifies(goal.atom) || k.exactly(goal.atom))
}

// quantifies proves all() and exists() from what is known about the items of the same list or map. What is
// true for exactly one item is true for some item.
func (k *known) quantifies(goal *term) bool {
	inside := k.clone()
	names := k.freshNames(goal)
	if len(names) == 1 {
		inside.items[names[0]] = goal.args[0].key
	}
	walked := false
	var some []*term
	for _, f := range k.order {
		if !f.holds || !f.atom.isQuantifier() && !f.atom.isUnique() || f.atom.args[0].key != goal.args[0].key {
			continue
		}
		walked = true
		if len(f.atom.vars) != len(goal.vars) {
			continue
		}
		if f.atom.name == "all" {
			inside.learn(k.statement(instance(f.atom, names)))
		} else {
			some = append(some, f.atom)
		}
	}
	wanted := k.statement(instance(goal, names))
	if goal.name == "all" {
		return walked && inside.proves(wanted)
	}
	for _, one := range some {
		with := inside.clone()
		with.learn(k.statement(instance(one, names)))
		if with.proves(wanted) {
			return true
		}
	}
	return false
}

// freshNames returns names that represent an item about which nothing else is known.
func (k *known) freshNames(t *term) []string {
	names := make([]string, len(t.vars))
	for at, v := range t.vars {
		k.fresh++
		names[at] = v[:1] + "@" + strconv.Itoa(k.fresh)
	}
	return names
}

// instance returns the statement of a quantifier about one item.
func instance(t *term, names []string) *term {
	by := map[string]string{}
	for at, v := range t.vars {
		by[v] = names[at]
	}
	return normal(t.args[1].substitute(by))
}
