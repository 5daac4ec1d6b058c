// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
)

// known is the state of a proof: the facts that are assumed.
type known struct {
	*prover
	facts map[string]bool // by their keys
	order []fact
	// clauses are disjunctions of which it is not known which alternative holds.
	clauses []formula
	// present contains the fields that were read without error, as the keys of their has() terms.
	present map[string]bool
	// objects contains the values with a field that was read or tested, so that has() of other fields does not fail.
	objects map[string]bool
	// visited contains the items of lists for which the statements of all() were learned.
	visited map[string]bool
	// items maps variables that represent an item to the list of the item.
	items map[string]string
	// broken is set if the facts are contradictory, so that the case cannot occur.
	broken bool
}

func newKnown(p *prover) *known {
	return &known{prover: p, facts: map[string]bool{}, present: map[string]bool{}, objects: map[string]bool{}, visited: map[string]bool{},
		items: map[string]string{}}
}

// clone returns a copy for a nested case.
func (k *known) clone() *known {
	k.spend(len(k.order) + 1)
	return &known{prover: k.prover, facts: maps.Clone(k.facts), order: slices.Clone(k.order),
		clauses: slices.Clone(k.clauses), present: maps.Clone(k.present), objects: maps.Clone(k.objects),
		visited: maps.Clone(k.visited), items: maps.Clone(k.items), broken: k.broken}
}

// learn adds a formula to the facts.
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
		return // a fact that is not learned because of the step limit only weakens the proof
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

// evaluated records the fields that must be present because a term was evaluated.
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
		k.evaluated(t.args[0]) // only one of the other two is evaluated
	case t.is(operators.LogicalAnd, operators.LogicalOr):
		// An error may be absorbed.
	default:
		for _, arg := range t.args {
			k.evaluated(arg)
		}
	}
}

// chain reports whether a value of the object is reached without an optional, so that reading it fails if a
// field is missing.
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
