// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/operators"
)

// Limits for the work of one proof.
const (
	maxProofSteps   = 300_000
	maxPatternSteps = 30 // comparisons of regular expressions
)

// fact states that an atom, an expression that is not decomposed further, evaluates to true or to false.
type fact struct {
	atom  *term
	holds bool
}

func (f fact) key() string {
	if f.holds {
		return f.atom.key
	}
	return "not " + f.atom.key
}

func (f fact) opposite() fact { return fact{f.atom, !f.holds} }

type connective int

const (
	unknown connective = iota // states nothing and is never proved
	always
	never
	single // one fact
	both   // all of subs
	either // at least one of subs
)

// formula is a combination of facts. Negation occurs only in the facts.
type formula struct {
	is   connective
	fact fact
	subs []formula
}

// prover counts the work of one proof.
type prover struct {
	steps    int
	patterns int
	fresh    int
	// excludedMiddle enables proofs by cases over certain atoms.
	excludedMiddle bool
}

// spend consumes n steps. It reports whether the limit is kept.
func (p *prover) spend(n int) bool {
	p.steps -= n
	return p.steps >= 0
}

// statement returns the formula that a condition in normal form evaluates to true. It is exact.
func (p *prover) statement(t *term) formula {
	if !p.spend(1 + len(t.key)/64) {
		return formula{is: unknown}
	}
	switch {
	case t.kind == literalKind && t.lit.sort == boolSort:
		return formula{is: pick(t.lit.number == 1, always, never)}
	case t.is(operators.LogicalAnd):
		return formula{is: both, subs: p.statements(t.args)}
	case t.is(operators.LogicalOr):
		return merged(p.statements(t.args))
	case t.is(operators.Conditional):
		otherwise := normal(call(operators.LogicalNot, t.args[0]))
		return merged([]formula{
			{is: both, subs: p.statements([]*term{t.args[0], t.args[1]})},
			{is: both, subs: p.statements([]*term{otherwise, t.args[2]})},
		})
	case t.is(operators.LogicalNot):
		return formula{is: single, fact: fact{t.args[0], false}}
	case t.comparesBooleans():
		return p.agreement(t)
	case t.is(operators.NotEquals):
		return formula{is: single, fact: fact{seal(call(operators.Equals, t.args...)), false}}
	case t.is(operators.Equals) && t.args[1].kind == literalKind && t.args[1].lit.sort == boolSort:
		if t.args[1].lit.number == 1 {
			return p.statement(normal(t.args[0]))
		}
		return p.statement(normal(call(operators.LogicalNot, t.args[0])))
	default:
		return formula{is: single, fact: fact{t, true}}
	}
}

func (p *prover) statements(terms []*term) []formula {
	all := make([]formula, 0, len(terms))
	for _, t := range terms {
		all = append(all, p.statement(t))
	}
	return all
}

// merged returns the disjunction of formulas. Equalities of one term with several constants are merged into one membership.
func merged(subs []formula) formula {
	var all []formula
	at := map[string]int{}
	for _, sub := range flattened(subs) {
		on, ok := membership(sub)
		if place, seen := at[on]; ok && seen {
			all[place] = union(all[place], sub)
			continue
		}
		if ok {
			at[on] = len(all)
		}
		all = append(all, sub)
	}
	return formula{is: either, subs: all}
}

// flattened expands nested disjunctions.
func flattened(subs []formula) []formula {
	var all []formula
	for _, sub := range subs {
		if sub.is == either {
			all = append(all, flattened(sub.subs)...)
		} else {
			all = append(all, sub)
		}
	}
	return all
}

// membership returns the term that a formula states to be one of some constants.
func membership(f formula) (on string, ok bool) {
	if f.is != single || !f.fact.holds {
		return "", false
	}
	c, ok := constraintOf(f.fact)
	if !ok || c.kind != among {
		return "", false
	}
	return c.on.key, true
}

// union returns the formula that a term is one of the constants of either formula.
func union(a, b formula) formula {
	elements := append(elementsOf(a.fact.atom), elementsOf(b.fact.atom)...)
	list := seal(&term{kind: listKind, args: elements})
	return formula{is: single, fact: fact{normalizer{}.value(call(operators.In, a.fact.atom.args[0], list)), true}}
}

// elementsOf returns the constants of an equality or a membership.
func elementsOf(t *term) []*term {
	if t.is(operators.In) {
		return append([]*term(nil), t.args[1].args...)
	}
	return []*term{t.args[1]}
}
