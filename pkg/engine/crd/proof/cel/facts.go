// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
)

// known is what is taken as given at a place of a proof.
type known struct {
	*prover
	facts map[string]bool // by their key
	order []fact
	// clauses are disjunctions of which it is open what holds.
	clauses []formula
	// present are fields that were read without error, as the keys of their has().
	present map[string]bool
	// objects are values that hold fields, as some were read or tested: so has() of others does not fail.
	objects map[string]bool
	// visited are the items of lists of which it is known what all() says.
	visited map[string]bool
	// items are the variables that stand for an item, with the list that it is in.
	items map[string]string
	// broken: the facts exclude each other, so that this place is never reached.
	broken bool
}

func newKnown(p *prover) *known {
	return &known{prover: p, facts: map[string]bool{}, present: map[string]bool{}, objects: map[string]bool{}, visited: map[string]bool{},
		items: map[string]string{}}
}

// clone gives a copy for a deeper place.
func (k *known) clone() *known {
	k.spend(len(k.order) + 1)
	return &known{prover: k.prover, facts: maps.Clone(k.facts), order: slices.Clone(k.order),
		clauses: slices.Clone(k.clauses), present: maps.Clone(k.present), objects: maps.Clone(k.objects),
		visited: maps.Clone(k.visited), items: maps.Clone(k.items), broken: k.broken}
}

// learn takes a formula as given.
func (k *known) learn(f formula) {
	switch f.is {
	case never:
		k.broken = true
	case both:
		for _, sub := range f.subs {
			k.learn(sub)
		}
	case either:
		if len(f.subs) == 1 {
			k.learn(f.subs[0])
			return
		}
		k.clauses = append(k.clauses, f)
	case single:
		k.learnFact(f.fact)
	}
}

func (k *known) learnFact(f fact) {
	if k.facts[f.key()] || !k.spend(1+len(k.order)) {
		return // what is not learned for want of steps only proves less
	}
	if k.facts[f.opposite().key()] || !f.holds && f.atom.sameOnBothSides() {
		k.broken = true
	}
	k.facts[f.key()] = true
	k.order = append(k.order, f)
	k.evaluated(f.atom)
	for _, other := range k.order {
		if !other.holds && other.atom.kind == hasKind && k.present[other.atom.key] {
			k.broken = true
		}
	}
	if c, ok := constraintOf(f); ok && k.domainOf(c.on).empty() {
		k.broken = true
	}
}

// evaluated notes the fields that are present because a term could be evaluated.
func (k *known) evaluated(t *term) {
	switch {
	case t.kind == selectKind && t.args[0].chain():
		k.present["has("+t.key+")"] = true
		k.objects[t.args[0].key] = true
		k.evaluated(t.args[0])
	case t.kind == hasKind && t.args[0].chain():
		k.objects[t.args[0].key] = true
		k.evaluated(t.args[0])
	case t.kind == macroKind, t.is(".orValue", ".or"):
		k.evaluated(t.args[0])
	case t.is(operators.Conditional):
		k.evaluated(t.args[0]) // of the other two one is left out
	case t.is(operators.LogicalAnd, operators.LogicalOr):
		// An error may be absorbed.
	default:
		for _, arg := range t.args {
			k.evaluated(arg)
		}
	}
}

// chain tells of a value of the object that is reached without an optional: reading it fails if a field is missing.
func (t *term) chain() bool {
	switch {
	case t.kind == identKind:
		return t.name == self || strings.HasPrefix(t.name, plainVariable)
	case t.kind == selectKind, t.is(operators.Index):
		return t.args[0].chain()
	default:
		return false
	}
}
