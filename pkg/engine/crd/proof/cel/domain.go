// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"
	"slices"
	"strconv"

	"github.com/google/cel-go/common/operators"

	"roadstead.dev/roadstead/pkg/engine/crd/proof/regex"
)

// domain is what is known about the values of a term.
type domain struct {
	on *term
	// given contains the constraints on the term itself and those that are derived from others.
	given []constraint
	// limited is set if the value is one of allowed.
	limited bool
	allowed []literal
	// text is set if the value is a string.
	text bool
}

// domainOf collects the constraints that the facts impose on a term.
func (k *known) domainOf(t *term) domain {
	d := domain{on: t}
	for _, f := range k.order {
		if c, ok := constraintOf(f); ok && c.on.key == t.key {
			d.given = append(d.given, tightened(c))
			d.text = d.text || c.kind == matching
		}
	}
	k.spend(1 + len(k.order))
	if t.is("size") && len(t.args) == 1 {
		k.deriveSize(&d)
	}
	d.pinned()
	for _, c := range d.given {
		if c.kind == among && c.holds && !d.limited {
			d.limited, d.allowed = true, slices.Clone(c.among)
		}
	}
	for _, c := range d.given {
		d.allowed = slices.DeleteFunc(d.allowed, func(l literal) bool {
			yes, sure := c.allows(l)
			return sure && !yes
		})
	}
	return d
}

// deriveSize adds the constraints on the size of a string that follow from the facts about the string.
func (k *known) deriveSize(d *domain) {
	of := k.domainOf(d.on.args[0])
	if len(of.given) == 0 && len(d.given) == 0 {
		return
	}
	if len(d.given) > 0 || of.text {
		d.given = append(d.given, constraint{on: d.on, kind: atLeast, holds: true, bound: whole(0)})
	}
	if of.limited {
		var sizes []literal
		for _, l := range of.allowed {
			size, ok := l.size()
			if !ok {
				return
			}
			sizes = append(sizes, size)
		}
		d.given = append(d.given, constraint{on: d.on, kind: among, holds: true, among: sizes})
	}
	for _, c := range of.given {
		if c.kind != matching || !c.holds || !k.spendPattern() {
			continue
		}
		shortest, longest, bounded := regex.Length(c.pattern)
		d.given = append(d.given, constraint{on: d.on, kind: atLeast, holds: true, bound: whole(shortest)})
		if bounded {
			d.given = append(d.given, constraint{on: d.on, kind: atMost, holds: true, bound: whole(longest)})
		}
	}
}

func (k *known) spendPattern() bool {
	k.patterns--
	return k.patterns >= 0
}

func whole(n int) literal {
	return literal{sort: numberSort, number: float64(n), text: strconv.Itoa(n)}
}

// tightened returns the bound of an integer term as the nearest integer that satisfies it.
func tightened(c constraint) constraint {
	if c.bound.sort != numberSort || !c.on.integer() {
		return c
	}
	n := c.bound.number
	switch c.kind {
	case below:
		c.kind, n = atMost, math.Ceil(n)-1
	case atMost:
		n = math.Floor(n)
	case above:
		c.kind, n = atLeast, math.Floor(n)+1
	case atLeast:
		n = math.Ceil(n)
	}
	c.bound.number = n
	return c
}

// pinned handles a lower and an upper bound that allow only a single value.
func (d *domain) pinned() {
	for _, low := range d.given {
		for _, high := range d.given {
			if low.kind == atLeast && high.kind == atMost && low.bound.ordered(high.bound) && low.bound.number == high.bound.number {
				d.limited, d.allowed = true, []literal{low.bound}
				return
			}
		}
	}
}

// empty reports whether no value is possible.
func (d domain) empty() bool {
	if d.limited && len(d.allowed) == 0 {
		return true
	}
	for _, low := range d.given {
		for _, high := range d.given {
			if (low.kind == above || low.kind == atLeast) && (high.kind == below || high.kind == atMost) && low.bound.ordered(high.bound) {
				strict := low.kind == above || high.kind == below
				if low.bound.number > high.bound.number || strict && low.bound.number == high.bound.number {
					return true
				}
			}
		}
	}
	return false
}

// meets reports whether all values that the facts allow satisfy a constraint.
func (k *known) meets(goal constraint) bool {
	goal = tightened(goal)
	d := k.domainOf(goal.on)
	if d.limited && d.all(goal) {
		return true
	}
	switch goal.kind {
	case among:
		return !goal.holds && k.excludes(d, goal.among)
	case matching:
		return k.matches(d, goal)
	default:
		return slices.ContainsFunc(d.given, func(c constraint) bool { return c.implies(goal) })
	}
}

// all reports whether all allowed values satisfy a constraint.
func (d domain) all(c constraint) bool {
	for _, l := range d.allowed {
		if yes, sure := c.allows(l); !yes || !sure {
			return false
		}
	}
	return true
}

// implies reports whether one order constraint implies another.
func (c constraint) implies(goal constraint) bool {
	if !c.bound.ordered(goal.bound) {
		return false
	}
	have, want := c.bound.number, goal.bound.number
	switch goal.kind {
	case below:
		return c.kind == below && have <= want || c.kind == atMost && have < want
	case atMost:
		return (c.kind == below || c.kind == atMost) && have <= want
	case above:
		return c.kind == above && have >= want || c.kind == atLeast && have > want
	case atLeast:
		return (c.kind == above || c.kind == atLeast) && have >= want
	default:
		return false
	}
}

// excludes reports whether the value cannot be any of some constants.
func (k *known) excludes(d domain, constants []literal) bool {
	size := domain{}
	if !d.on.is("size") {
		size = k.domainOf(normalizer{}.value(call("size", d.on)))
	}
	for _, l := range constants {
		excluded := slices.ContainsFunc(d.given, func(c constraint) bool {
			yes, sure := c.allows(l)
			return sure && !yes
		})
		// A string has a single size, and a value that is not a string cannot equal a string constant.
		if length, ok := l.size(); ok && !excluded {
			excluded = slices.ContainsFunc(size.given, func(c constraint) bool {
				yes, sure := c.allows(length)
				return sure && !yes
			})
		}
		if !excluded {
			return false
		}
	}
	return len(d.given) > 0 || len(size.given) > 0
}

// nothing is a pattern that no string matches.
const nothing = `[^\x00-\x{10FFFF}]`

// matches reports whether the value is known to be a string that matches, or does not match, a pattern.
func (k *known) matches(d domain, goal constraint) bool {
	if !d.text {
		return false
	}
	narrower := k.lengths(d.on)
	for _, c := range d.given {
		switch {
		case c.kind == matching && c.holds:
			narrower = append(narrower, c.pattern)
		case c.kind == matching && !goal.holds && k.spendPattern() && regex.Includes(c.pattern, goal.pattern).Proved:
			return true
		}
	}
	if !k.spendPattern() {
		return false
	}
	if goal.holds {
		return regex.IncludesAll([]string{goal.pattern}, narrower).Proved
	}
	return regex.IncludesAll([]string{nothing}, append(narrower, goal.pattern)).Proved
}

// lengths returns what is known about the size of a string as a pattern.
func (k *known) lengths(of *term) []string {
	shortest, longest := 0, -1
	size := normalizer{}.value(call("size", of))
	for _, f := range k.order {
		c, ok := constraintOf(f)
		if !ok || c.on.key != size.key || c.bound.sort != numberSort || math.Abs(c.bound.number) > 1000 {
			continue
		}
		switch c = tightened(c); c.kind {
		case atLeast:
			shortest = max(shortest, int(c.bound.number))
		case atMost:
			if n := int(c.bound.number); longest < 0 || n < longest {
				longest = n
			}
		}
	}
	if pattern, ok := regex.OfLength(shortest, longest); ok && (shortest > 0 || longest >= 0) {
		return []string{pattern}
	}
	return nil
}

// compares proves what follows from the order of two terms that are not constants.
func (k *known) compares(goal fact) bool {
	less := func(a, b *term) bool { return k.facts[seal(call(operators.Less, a, b)).key] }
	switch a := goal.atom; {
	case a.is(operators.LessEquals) && goal.holds:
		return less(a.args[0], a.args[1])
	case a.is(operators.Equals) && !goal.holds:
		return less(a.args[0], a.args[1]) || less(a.args[1], a.args[0])
	default:
		return false
	}
}
