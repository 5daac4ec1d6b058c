// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"regexp"

	"github.com/google/cel-go/common/operators"
)

type constraintKind int

const (
	among    constraintKind = iota // one of the constants
	below                          // less than the constant
	atMost                         // less than or equal to the constant
	above                          // greater than the constant
	atLeast                        // greater than or equal to the constant
	matching                       // a string that the pattern matches
)

// constraint relates a term to constants.
type constraint struct {
	on      *term
	kind    constraintKind
	holds   bool // false for the negation; always true for the four orders
	among   []literal
	bound   literal
	pattern string
}

// constraintOf returns a fact as a constraint, if it is one.
func constraintOf(f fact) (constraint, bool) {
	t := f.atom
	switch {
	case t.is(operators.Equals):
		if l, ok := t.args[1].constant(); ok {
			return constraint{on: t.args[0], kind: among, holds: f.holds, among: []literal{l}}, true
		}
	case t.is(operators.In):
		if all, ok := t.args[1].constants(); ok {
			return constraint{on: t.args[0], kind: among, holds: f.holds, among: all}, true
		}
	case t.is(operators.Less, operators.LessEquals) && f.holds:
		return orderOf(t)
	case t.is(".startsWith", ".endsWith", ".contains", ".matches", "matches") && len(t.args) == 2:
		return patternOf(f)
	}
	return constraint{}, false
}

func orderOf(t *term) (constraint, bool) {
	strict := t.is(operators.Less)
	left, leftOK := t.args[0].constant()
	right, rightOK := t.args[1].constant()
	switch {
	case rightOK && !leftOK && right.ordered(right):
		return constraint{on: t.args[0], kind: pick(strict, below, atMost), holds: true, bound: right}, true
	case leftOK && !rightOK && left.ordered(left):
		return constraint{on: t.args[1], kind: pick(strict, above, atLeast), holds: true, bound: left}, true
	default:
		return constraint{}, false
	}
}

// patternOf returns a test of a string as a constraint with a pattern.
func patternOf(f fact) (constraint, bool) {
	c := constraint{on: f.atom.args[0], kind: matching, holds: f.holds}
	l, ok := f.atom.args[1].constant()
	if !ok || l.sort != stringSort {
		return c, false
	}
	switch quoted := regexp.QuoteMeta(l.text); f.atom.name {
	case ".startsWith":
		c.pattern = `\A` + quoted
	case ".endsWith":
		c.pattern = quoted + `\z`
	case ".contains":
		c.pattern = quoted
	default:
		c.pattern = l.text
	}
	return c, true
}

// allows reports whether a constant satisfies the constraint, and whether that is known.
func (c constraint) allows(l literal) (yes, known bool) {
	switch c.kind {
	case among:
		known = true
		for _, one := range c.among {
			equal, sure := l.equals(one)
			if equal && sure {
				return c.holds, true
			}
			known = known && sure
		}
		return !c.holds, known
	case matching:
		expression, err := regexp.Compile(c.pattern)
		if err != nil || l.sort != stringSort {
			return false, false
		}
		return expression.MatchString(l.text) == c.holds, true
	}
	if !l.ordered(c.bound) {
		return false, false
	}
	switch c.kind {
	case below:
		return l.number < c.bound.number, true
	case atMost:
		return l.number <= c.bound.number, true
	case above:
		return l.number > c.bound.number, true
	default:
		return l.number >= c.bound.number, true
	}
}
