// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/operators"
)

// isBoolean reports whether the form of a term shows that it is true or false if it does not fail.
func (t *term) isBoolean() bool {
	switch t.kind {
	case literalKind:
		return t.lit.sort == boolSort
	case hasKind:
		return true
	case macroKind:
		return t.isQuantifier() || t.name == "exists_one"
	case callKind:
		if t.is(operators.Conditional) {
			return t.args[1].isBoolean() && t.args[2].isBoolean()
		}
		return t.is(operators.LogicalNot, operators.LogicalAnd, operators.LogicalOr, operators.Equals, operators.NotEquals,
			operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.In,
			".startsWith", ".endsWith", ".contains", ".matches", "matches", ".hasValue")
	default:
		return false
	}
}

// comparesBooleans reports whether a term is an equality or inequality of two conditions.
func (t *term) comparesBooleans() bool {
	return t.is(operators.Equals, operators.NotEquals) && t.args[0].isBoolean() && t.args[1].isBoolean()
}

// agreement returns the formula for the equality or inequality of two conditions. == does not absorb
// errors, so both values must be known; the formula does not hold if one of the conditions fails.
func (p *prover) agreement(t *term) formula {
	a, b := t.args[0], t.args[1]
	if b.kind == literalKind {
		return p.statement(conditioned(a, b.isTruth(true) == t.is(operators.Equals)))
	}
	notA, notB := normal(call(operators.LogicalNot, a)), normal(call(operators.LogicalNot, b))
	a, b = normal(a), normal(b)
	if t.is(operators.NotEquals) {
		b, notB = notB, b
	}
	return merged([]formula{
		{is: both, subs: p.statements([]*term{a, b})},
		{is: both, subs: p.statements([]*term{notA, notB})},
	})
}

// outcomeOf returns the formula that a condition in normal form does not fail.
func (p *prover) outcomeOf(t *term) formula {
	return merged([]formula{p.statement(t), p.statement(normal(call(operators.LogicalNot, t)))})
}
