// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strconv"
	"strings"
)

// Implies tells that a new rule is true wherever all old rules are true. False means that there is no proof.
//
// Old rules that compare with oldSelf are not asked when an object is created. So they count for a new rule only if it
// does the same. Whether oldSelf is optional the text does not tell: the caller gives only old rules that have the same
// optionalOldSelf as the new one, if they use oldSelf, and only rules of the same node.
//
// What a schema says counts if it is given as an old rule: `size(self.l) <= 16`, and for what is below a list
// `self.l.all(x, size(x.m) <= 8 && x.kind in ['a', 'b'])`. Such a rule must be true of all old objects as it is written, so
// what may be missing needs its test: `!has(self.l) || self.l.all(x, !has(x.m) || size(x.m) <= 8)`. No type is taken for
// granted: ints are added up if `type(x.n) == int` is given, sizes always.
func Implies(old []string, new string) bool {
	return implies(old, new, func(t *term) *term { return t })
}

// implies proves what Implies does of the rules as they are once simplified.
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

// follows tells that a condition is true where others are, all in normal form. To tell apart what is certain to be true or
// false costs many steps; so it is tried on its own.
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

// proves tells that a formula follows from what is known.
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

// shows tells that a formula follows without a distinction of cases.
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

// splits tells that a formula follows in all cases of a clause. First each clause is tried alone, then all together.
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

// quantifies proves all() and exists() by what is known of the items of the same list or map. What is true of exactly one
// is true of some.
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

// freshNames gives names that stand for an item of which nothing else is known.
func (k *known) freshNames(t *term) []string {
	names := make([]string, len(t.vars))
	for at, v := range t.vars {
		k.fresh++
		names[at] = v[:1] + "@" + strconv.Itoa(k.fresh)
	}
	return names
}

// instance gives what a quantifier says of one item.
func instance(t *term, names []string) *term {
	by := map[string]string{}
	for at, v := range t.vars {
		by[v] = names[at]
	}
	return normal(t.args[1].substitute(by))
}
