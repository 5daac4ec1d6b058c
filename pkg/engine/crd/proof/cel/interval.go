// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"math"

	"github.com/google/cel-go/common/operators"
)

// maxSize is an upper bound of size(): stored objects are much smaller.
const maxSize = 1 << 40

// interval is a closed range of numbers.
type interval struct {
	low, high float64
	// none is set if the term is never evaluated.
	none bool
}

func (i interval) or(j interval) interval {
	switch {
	case i.none:
		return j
	case j.none:
		return i
	default:
		return interval{low: math.Min(i.low, j.low), high: math.Max(i.high, j.high)}
	}
}

// interval returns the range of a term that is proved to be an int and not to fail.
func (k *known) interval(t *term) (interval, bool) {
	if !k.spend(1 + len(k.order)) {
		return interval{}, false
	}
	if !t.is(operators.Conditional, operators.Add, operators.Subtract, operators.Multiply) {
		k.visit(t)
	}
	switch {
	case k.broken:
		return interval{none: true}, true
	case t.kind == literalKind:
		return interval{low: t.lit.number, high: t.lit.number}, t.whole()
	case t.integer() || k.hasType(t, "int"):
		return k.counted(t)
	case t.is(operators.Conditional):
		return k.chosen(t)
	case t.is(operators.Add, operators.Subtract, operators.Multiply) && len(t.args) == 2:
		left, ok := k.interval(t.args[0])
		if !ok {
			return interval{}, false
		}
		right, ok := k.interval(t.args[1])
		if !ok {
			return interval{}, false
		}
		return computed(t, left, right)
	default:
		return interval{}, false
	}
}

// computed returns the range of a sum, a difference or a product. A result that may not be exact has no
// range, because it may overflow.
func computed(t *term, left, right interval) (interval, bool) {
	if left.none || right.none {
		return interval{none: true}, true
	}
	var result interval
	switch {
	case t.is(operators.Add):
		result = interval{low: left.low + right.low, high: left.high + right.high}
	case t.is(operators.Subtract):
		result = interval{low: left.low - right.high, high: left.high - right.low}
	default:
		a, b, c, d := left.low*right.low, left.low*right.high, left.high*right.low, left.high*right.high
		result = interval{low: min(a, b, c, d), high: max(a, b, c, d)}
	}
	return result, result.low >= -maxExact && result.high <= maxExact
}

// counted returns the range of a size or of another int about which facts are known, so that it does not
// fail. Exclusive bounds are treated as inclusive ones.
func (k *known) counted(t *term) (interval, bool) {
	d := k.domainOf(t)
	if len(d.given) == 0 {
		return interval{}, false
	}
	result := interval{low: math.Inf(-1), high: math.Inf(1)}
	if t.is("size") {
		result = interval{low: 0, high: maxSize}
	}
	for _, c := range d.given {
		switch {
		case c.bound.sort != numberSort:
		case c.kind == atLeast || c.kind == above:
			result.low = math.Max(result.low, c.bound.number)
		case c.kind == atMost || c.kind == below:
			result.high = math.Min(result.high, c.bound.number)
		}
	}
	if d.limited {
		within := interval{none: true}
		for _, l := range d.allowed {
			if l.sort != numberSort {
				return interval{}, false
			}
			within = within.or(interval{low: l.number, high: l.number})
		}
		return within, true
	}
	return result, result.low >= -maxExact && result.high <= maxExact
}

// chosen returns the range of a conditional expression whose condition does not fail: the ranges of both branches.
func (k *known) chosen(t *term) (interval, bool) {
	if !k.decided(t.args[0]) {
		return interval{}, false
	}
	then, ok := k.given(t.args[0], true).interval(t.args[1])
	if !ok {
		return interval{}, false
	}
	otherwise, ok := k.given(t.args[0], false).interval(t.args[2])
	return then.or(otherwise), ok
}

// sides returns the ranges of both sides of a comparison. A constant may have any numeric type.
func (k *known) sides(t *term) (left, right interval, ok bool) {
	side := func(t *term) (interval, bool) {
		if t.kind == literalKind && t.lit.sort == numberSort {
			return interval{low: t.lit.number, high: t.lit.number}, true
		}
		return k.interval(t)
	}
	if left, ok = side(t.args[0]); !ok {
		return left, right, false
	}
	right, ok = side(t.args[1])
	return left, right, ok
}

// within proves a comparison of ints from their ranges.
func (k *known) within(goal fact) bool {
	a := goal.atom
	if !a.is(operators.Less, operators.LessEquals, operators.Equals) || !a.args[0].computes() && !a.args[1].computes() {
		return false
	}
	left, right, ok := k.sides(a)
	if !ok || left.none || right.none {
		return ok
	}
	switch {
	case a.is(operators.Less):
		return goal.holds && left.high < right.low || !goal.holds && left.low >= right.high
	case a.is(operators.LessEquals):
		return goal.holds && left.high <= right.low || !goal.holds && left.low > right.high
	default:
		apart := left.high < right.low || right.high < left.low
		return goal.holds && left.low == right.high && left.high == right.low || !goal.holds && apart
	}
}

// computes reports whether the range of a term can be computed.
func (t *term) computes() bool {
	return t.integer() || t.is(operators.Conditional, operators.Add, operators.Subtract, operators.Multiply)
}
