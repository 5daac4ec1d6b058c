// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestImplies(t *testing.T) {
	for _, tc := range []struct {
		name string
		old  []string
		new  string
		want bool
	}{
		// Notation.
		{"the same", []string{`self.a > 1`}, `self.a > 1`, true},
		{"blanks and parentheses", []string{`self.a > 1`}, ` ( (self.a)>1 ) `, true},
		{"operands of and", []string{`self.a && self.b`}, `self.b && self.a`, true},
		{"operands of or", []string{`self.a || self.b`}, `self.b || self.a`, true},
		{"direction", []string{`self.a > self.b`}, `self.b < self.a`, true},
		{"sides of an equality", []string{`'x' == self.a`}, `self.a == 'x'`, true},
		{"unequal", []string{`!(self.a == 'x')`}, `self.a != 'x'`, true},
		{"size", []string{`self.a.size() > 2`}, `size(self.a) > 2`, true},
		{"another rule", []string{`self.a > 1`}, `self.b > 1`, false},
		{"no old rule", nil, `self.a > 1`, false},
		{"nothing to prove", nil, `true`, true},
		{"nothing can be", nil, `false`, false},
		{"unless nothing was", []string{`false`}, `self.a > 1`, true},
		{"text that is not CEL", []string{`self.a >`}, `self.a >`, true},
		{"other text that is not CEL", []string{`self.a >`}, `self.b >`, false},

		// And, or, if.
		{"one of two", []string{`self.a && self.b`}, `self.a`, true},
		{"two of one", []string{`self.a`}, `self.a && self.b`, false},
		{"two rules as one", []string{`self.a`, `self.b`}, `self.a && self.b`, true},
		{"one more way", []string{`self.a`}, `self.a || self.b`, true},
		{"one more way that may fail", []string{`self.a`}, `self.b.c > 1 || self.a`, true},
		{"one way less", []string{`self.a || self.b`}, `self.a`, false},
		{"ways reordered and more", []string{`self.a || self.b`}, `self.c || self.b || self.a`, true},
		{"a negation that excludes a way", []string{`self.a || self.b`, `!self.a`}, `self.b`, true},
		{"if, as or", []string{`!has(self.a) || self.a > 3`}, `!has(self.a) || self.a > 2`, true},
		{"if, as a choice", []string{`has(self.a) ? self.a > 3 : true`}, `!has(self.a) || self.a > 2`, true},
		{"or, as a choice", []string{`!has(self.a) || self.a > 3`}, `has(self.a) ? self.a > 2 : true`, true},
		{"a choice with another else", []string{`!has(self.a) || self.a > 3`}, `has(self.a) ? self.a > 2 : self.b`, false},
		{"a choice by parts", []string{`has(self.a) ? self.a > 3 : self.b == 'x'`}, `has(self.a) ? self.a > 2 : self.b in ['x', 'y']`, true},
		{"the guard falls", []string{`!has(self.a) || self.a > 3`}, `self.a > 3`, false},
		{"the guard falls where the field is known", []string{`has(self.a)`, `!has(self.a) || self.a > 3`}, `self.a > 3`, true},
		{"a wider guard", []string{`has(self.a) || has(self.b)`}, `has(self.a) || has(self.b) || has(self.c)`, true},
		{"a narrower guard", []string{`has(self.a) || has(self.b) || has(self.c)`}, `has(self.a) || has(self.b)`, false},
		{"De Morgan", []string{`!(self.a || self.b)`}, `!self.a && !self.b`, true},
		{"exactly one to at most one", []string{`has(self.a) != has(self.b)`}, `has(self.b) != has(self.a)`, true},
		{"two clauses together", []string{`!self.a || self.b`, `!self.b || self.c`}, `!self.a || self.c`, true},
		{"the converse", []string{`!self.a || self.b`}, `!self.b || self.a`, false},
		{"the contrary", []string{`self.a`}, `!self.a`, false},
		{"an excluded middle may fail", nil, `self.a > 1 || !(self.a > 1)`, false},
		{"true by name", []string{`self.a == true`}, `self.a`, true},
		{"false by name", []string{`self.a == false`}, `!self.a`, true},
		{"true for false", []string{`self.a == true`}, `!self.a`, false},

		// Presence.
		{"what was read is there", []string{`self.a > 3`}, `has(self.a)`, true},
		{"and all above it", []string{`self.a.b.c > 3`}, `has(self.a.b)`, true},
		{"what was tested is no proof", []string{`has(self.a.b) || self.c`}, `has(self.a.b)`, false},
		{"the parent of what was tested is there", []string{`!has(self.a.b)`}, `has(self.a)`, true},
		{"an optional read is not a proof", []string{`self.?a.orValue(5) > 3`}, `has(self.a)`, false},
		{"an optional chain is not a proof", []string{`self.?a.b == optional.of(1)`}, `has(self.a)`, false},
		{"one side of an or is no proof", []string{`self.a > 3 || self.b`}, `has(self.a)`, false},
		{"both sides are", []string{`self.a > 3 || self.a < 1`}, `has(self.a)`, true},
		{"a fallback is not always read", []string{`self.?a.orValue(self.b) > 1`}, `has(self.b)`, false},
		{"a branch is not always read", []string{`(self.c ? self.a : self.b) > 1`}, `has(self.a)`, false},

		// Numbers.
		{"below a greater bound", []string{`size(self) < 10`}, `size(self) <= 10`, true},
		{"far below", []string{`size(self) < 10`}, `size(self) < 20`, true},
		{"not beyond", []string{`size(self) < 10`}, `size(self) != 30`, true},
		{"maybe within", []string{`size(self) < 10`}, `size(self) != 3`, false},
		{"a smaller bound", []string{`size(self) < 10`}, `size(self) < 5`, false},
		{"at least, above", []string{`self >= 3`}, `self > 2`, true},
		{"above, at least: a number may be fractional", []string{`self > 2`}, `self >= 3`, false},
		{"above, at least: a size may not", []string{`size(self) > 2`}, `size(self) >= 3`, true},
		{"below, at most: a size", []string{`size(self) < 3`}, `size(self) <= 2`, true},
		{"a fractional bound of a size", []string{`size(self) > 2.5`}, `size(self) >= 3`, true},
		{"int and double", []string{`self.a <= 2`}, `self.a < 2.5`, true},
		{"a value within bounds", []string{`self.a == 5`}, `self.a >= 1 && self.a <= 10`, true},
		{"a value out of bounds", []string{`self.a == 50`}, `self.a <= 10`, false},
		{"bounds that leave one value", []string{`self.a >= 5 && self.a <= 5`}, `self.a == 5`, true},
		{"bounds the other way around", []string{`5 > self.a`}, `self.a < 6`, true},
		{"not below", []string{`!(self.a < 5)`}, `self.a >= 4`, true},
		{"not below, of a quotient: it may be no number", []string{`!(self.a / self.b < 5.0)`}, `self.a / self.b >= 4.0`, false},
		{"a size is never negative", []string{`size(self.a) != 3`}, `size(self.a) >= 0`, true},
		{"of nothing known", nil, `size(self.a) >= 0`, false},
		{"less is at most", []string{`self.a < self.b`}, `self.a <= self.b`, true},
		{"less is unequal", []string{`self.a < self.b`}, `self.b != self.a`, true},
		{"at most is not less", []string{`self.a <= self.b`}, `self.a < self.b`, false},
		{"beyond the exact range", []string{`self.a < 9007199254740993`}, `self.a < 9007199254740994`, false},
		{"durations", []string{`duration(self.a) <= duration('1h')`}, `duration(self.a) < duration('90m')`, true},
		{"shorter durations", []string{`duration(self.a) <= duration('1h')`}, `duration(self.a) < duration('50m')`, false},
		{"a duration is not a number", []string{`duration(self.a) <= duration('1ns')`}, `duration(self.a) <= 5`, false},
		{"in a range given by two rules", []string{`self.a > 0`, `self.a < 10`}, `self.a >= 0 && self.a <= 10`, true},
		{"impossible bounds", []string{`self.a > 5 && self.a < 3`}, `self.b`, true},

		// Values.
		{"a value of a list", []string{`self.a == 'x'`}, `self.a in ['x', 'y']`, true},
		{"a shorter list", []string{`self.a in ['x', 'y']`}, `self.a in ['y', 'z', 'x']`, true},
		{"a longer list", []string{`self.a in ['x', 'y', 'z']`}, `self.a in ['x', 'y']`, false},
		{"a list as an or", []string{`self.a in ['x', 'y']`}, `self.a == 'y' || self.a == 'x'`, true},
		{"an or as a list", []string{`self.a == 'y' || self.a == 'x'`}, `self.a in ['x', 'y']`, true},
		{"a list with one forbidden", []string{`self.a in ['x', 'y']`, `self.a != 'y'`}, `self.a == 'x'`, true},
		{"not another value", []string{`self.a == 'x'`}, `self.a != 'y'`, true},
		{"not in a list", []string{`!(self.a in ['x', 'y'])`}, `self.a != 'x'`, true},
		{"not in a longer list", []string{`self.a != 'x'`}, `!(self.a in ['x', 'y'])`, false},
		{"two not in a list", []string{`self.a != 'x' && self.a != 'y'`}, `!(self.a in ['y', 'x'])`, true},
		{"a list with variables", []string{`self.a in ['x']`}, `self.a in ['x', self.b]`, false},
		{"numbers of two types", []string{`self.a == 1`}, `self.a == 1.0`, true},
		{"not a text", []string{`self.a == 1`}, `self.a == '1'`, false},

		// Strings.
		{"a longer start", []string{`self.startsWith('abc')`}, `self.startsWith('ab')`, true},
		{"a shorter start", []string{`self.startsWith('ab')`}, `self.startsWith('abc')`, false},
		{"a start is contained", []string{`self.startsWith('ab')`}, `self.contains('b')`, true},
		{"a longer end", []string{`self.endsWith('.com')`}, `self.endsWith('com')`, true},
		{"a start with special letters", []string{`self.startsWith('a.c')`}, `self.startsWith('a.')`, true},
		{"special letters are no pattern", []string{`self.startsWith('abc')`}, `self.startsWith('a.')`, false},
		{"a value starts", []string{`self in ['abc', 'abd']`}, `self.startsWith('ab')`, true},
		{"a wider pattern", []string{`self.matches('^[a-z]+$')`}, `self.matches('^[a-z0-9]+$')`, true},
		{"a narrower pattern", []string{`self.matches('^[a-z0-9]+$')`}, `self.matches('^[a-z]+$')`, false},
		{"a pattern called as a function", []string{`matches(self, '^[a-z]+$')`}, `self.matches('^[a-z0-9]+$')`, true},
		{"a start as a pattern", []string{`self.matches('^abc')`}, `self.startsWith('ab')`, true},
		{"a pattern bounds the size", []string{`self.matches('^[a-z]{1,63}$')`}, `size(self) <= 63`, true},
		{"a pattern bounds the size from below", []string{`self.matches('^[a-z]{2,}')`}, `self.size() > 1`, true},
		{"a pattern that bounds nothing", []string{`self.matches('[a-z]{1,63}')`}, `size(self) <= 63`, false},
		{"a size makes a pattern", []string{`self.matches('^[a-z]*$') && size(self) <= 5`}, `self.matches('^[a-z]{0,5}$')`, true},
		{"a pattern is not empty", []string{`self.matches('^[a-z]+$')`}, `self != ''`, true},
		{"a size is not empty", []string{`size(self) > 0`}, `self != ''`, true},
		{"not empty is a size only of text", []string{`self != ''`}, `size(self) > 0`, false},
		{"not a wider pattern", []string{`!self.matches('[a-z]')`}, `!self.matches('^[a-f]$')`, true},
		{"a pattern excludes another", []string{`self.matches('^[a-z]+$')`}, `!self.matches('[0-9]')`, true},
		{"a pattern that does not compile", []string{`self.matches('a')`}, `self.matches('(')`, false},

		// Items.
		{"each item", []string{`self.l.all(x, x > 3)`}, `self.l.all(y, y > 2)`, true},
		{"each item, narrower", []string{`self.l.all(x, x > 2)`}, `self.l.all(x, x > 3)`, false},
		{"each item of another list", []string{`self.l.all(x, x > 3)`}, `self.m.all(x, x > 2)`, false},
		{"each item, by two rules", []string{`self.l.all(x, x.a > 3)`, `self.l.all(y, y.b)`}, `self.l.all(z, z.b && z.a > 0)`, true},
		{"each item, with what is known outside", []string{`self.n == 1`, `self.l.all(x, self.n != 1 || x > 3)`}, `self.l.all(x, x > 3)`, true},
		{"some item", []string{`self.l.exists(x, x == 'a')`}, `self.l.exists(y, y in ['a', 'b'])`, true},
		{"some item and all", []string{`self.l.exists(x, x.a)`, `self.l.all(x, x.b)`}, `self.l.exists(x, x.a && x.b)`, true},
		{"some and some are not one", []string{`self.l.exists(x, x.a)`, `self.l.exists(x, x.b)`}, `self.l.exists(x, x.a && x.b)`, false},
		{"all() does not imply exists()", []string{`self.l.all(x, x.a)`}, `self.l.exists(x, x.a)`, false},
		{"no item is all not", []string{`!self.l.exists(x, x > 5)`}, `self.l.all(x, x < 7)`, true},
		{"nested items", []string{`self.l.all(x, x.m.all(y, y.startsWith('ab')))`}, `self.l.all(a, a.m.all(b, b.startsWith('a')))`, true},
		{"nested items that are mixed up", []string{`self.l.all(x, self.m.all(y, x < y))`}, `self.l.all(x, self.m.all(y, y < x))`, false},
		{"a variable hides another", []string{`self.l.all(x, self.m.all(x, x > 3))`}, `self.l.all(y, self.m.all(z, z > 2))`, true},
		{"a variable that hides the wrong one", []string{`self.l.all(x, self.m.all(x, x > 3))`}, `self.l.all(y, self.m.all(z, y > 2))`, false},
		{"keys and values", []string{`self.m.all(k, v, v > 3 && k != 'a')`}, `self.m.all(key, value, value > 2)`, true},
		{"keys for values", []string{`self.m.all(k, v, v > 3)`}, `self.m.all(k, v, k > 2)`, false},
		{"exactly one, reordered", []string{`self.l.exists_one(x, x.a && x.b)`}, `self.l.exists_one(y, y.b && y.a)`, true},
		{"exactly one is opaque", []string{`self.l.exists_one(x, x > 3)`}, `self.l.exists_one(x, x > 2)`, false},
		{"items present", []string{`self.l.all(x, x.a > 1)`}, `self.l.all(x, has(x.a))`, true},

		{"a value that no item has", []string{`self.l.all(x, x.type in ['a', 'b'])`},
			`self.l.all(x, !(!has(x.c) && x.type == 'c'))`, true},
		{"a value that an item may have", []string{`self.l.all(x, x.type in ['a', 'c'])`}, `self.l.all(x, !(!has(x.c) && x.type == 'c'))`,
			false},
		{"a value of items that may be missing", []string{`self.l.all(x, !has(x.type) || x.type in ['a', 'b'])`},
			`self.l.all(x, !has(x.type) || x.type != 'c')`, true},

		// Transitions.
		{"the same transition", []string{`self == oldSelf`}, `oldSelf == self`, true},
		{"a transition rule is not evaluated at creation", []string{`self == oldSelf && self.a > 3`}, `self.a > 2`, false},
		{"a transition loosened", []string{`self == oldSelf`}, `self == oldSelf || self.a > 3`, true},
		{"a transition that follows from the new object", []string{`self.a > 3`}, `self.a > 2 || oldSelf.a < 3`, true},
		{"growth", []string{`self.a > oldSelf.a`}, `self.a >= oldSelf.a`, true},
		{"immutability does not come from a rule of values", []string{`self.a in [1, 2]`}, `self.a == oldSelf.a`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, Implies(tc.old, tc.new))
		})
	}
}

func TestImplies_LargeRules(t *testing.T) {
	for name, rule := range map[string]string{
		"long": `self.a == '` + strings.Repeat("x", maxRule) + `'`,
		"wide": strings.Repeat("self.a || ", maxTerms) + "self.b",
		"deep": strings.Repeat("(", 300) + "self.a" + strings.Repeat(")", 300),
	} {
		t.Run(name, func(t *testing.T) {
			assert.False(t, Implies([]string{rule + " && self.z"}, rule))
			assert.True(t, Implies([]string{rule}, rule), "the same text")
		})
	}
}

func TestImplies_ManyCases(t *testing.T) {
	var old []string
	for _, a := range strings.Split("abcdefghijklmnopqrst", "") {
		old = append(old, "self."+a+"1 || self."+a+"2 || self."+a+"3")
	}
	assert.False(t, Implies(old, `self.x > 1`))
	choice := "self.a"
	for range 18 {
		choice = "(" + choice + " ? self.b : self.c)"
	}
	assert.False(t, Implies([]string{choice}, `self.x > 1`))
}

func TestImplies_ManyLargeRules(t *testing.T) {
	var old []string
	for rule := range 40 {
		var parts []string
		for part := range 500 {
			parts = append(parts, fmt.Sprintf("self.f%dx%d.matches('^a{0,%d}$')", rule, part, part))
		}
		old = append(old, strings.Join(parts, " && "))
	}
	begin := time.Now()
	assert.False(t, Implies(old, `self.x > 1 && self.y in ['a'] || self.l.all(x, x.startsWith('a'))`))
	assert.False(t, TrueWhen(strings.Join(old[:1], " || "), named))
	t.Logf("after %s", time.Since(begin))
	assert.Less(t, time.Since(begin), time.Minute)
}
