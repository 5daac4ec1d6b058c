// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// matchesOf returns the sum of the sizes of a field of the first items of a list. Both forms contain two verbs for the index.
func matchesOf(form string, items int) string {
	var terms []string
	for at := range items {
		terms = append(terms, fmt.Sprintf("("+form+")", at, at))
	}
	return strings.Join(terms, " + ")
}

func TestImplies_BoundedSums(t *testing.T) {
	const called, member = `size(self) > %d ? size(self[%d].matches) : 0`, `self.size() > %d ? self[%d].matches.size() : 0`
	const guarded = `size(self) > %d && has(self[%[1]d].matches) ? size(self[%d].matches) : 0`
	bounds := []string{`size(self) <= 16`, `self.all(x, has(x.matches) && size(x.matches) <= 8)`}
	for _, tc := range []struct {
		name string
		old  []string
		new  string
		want bool
	}{
		{"as many items as can be", bounds, matchesOf(called, 16) + ` <= 128`, true},
		{"as in Gateway API", bounds, matchesOf(member, 16) + ` <= 128`, true},
		{"more items than can be", bounds, matchesOf(member, 20) + ` <= 128`, true},
		{"a smaller sum", bounds, matchesOf(member, 16) + ` <= 127`, false},
		{"below a greater sum", bounds, matchesOf(member, 16) + ` < 129`, true},
		{"the other way around", bounds, `128 >= ` + matchesOf(member, 16), true},
		{"a fractional bound", bounds, matchesOf(member, 16) + ` < 128.5`, true},
		{"not more", bounds, `!(` + matchesOf(member, 3) + ` > 24)`, true},
		{"never that many", bounds, matchesOf(member, 3) + ` != 25`, true},
		{"maybe that many", bounds, matchesOf(member, 3) + ` != 24`, false},
		{"never negative", bounds, matchesOf(member, 3) + ` >= 0`, true},
		{"bounds by two rules", []string{`self.size() < 17`, `self.all(x, x.matches.size() < 9)`, `self.all(y, has(y.matches))`},
			matchesOf(member, 16) + ` <= 128`, true},
		{"a field whose presence decides its bound", []string{`size(self) <= 16`, `self.all(x, size(x.matches) <= 8)`},
			matchesOf(member, 16) + ` <= 128`, true},
		{"a field that may be missing", []string{`size(self) <= 16`, `self.all(x, !has(x.matches) || size(x.matches) <= 8)`},
			matchesOf(member, 16) + ` <= 128`, false},
		{"a field that may be missing, and is tested", []string{`size(self) <= 16`, `self.all(x, !has(x.matches) || size(x.matches) <= 8)`},
			matchesOf(guarded, 16) + ` <= 128`, true},
		{"a list without a known size", bounds[1:], matchesOf(member, 16) + ` <= 128`, false},
		{"a list of any size", []string{bounds[1], `size(self) >= 0`}, matchesOf(member, 16) + ` <= 128`, true},
		{"items without a bound", []string{bounds[0], `self.all(x, has(x.matches))`}, matchesOf(member, 16) + ` <= 128`, false},
		{"bounds of another field", []string{bounds[0], `self.all(x, size(x.filters) <= 8)`}, matchesOf(member, 16) + ` <= 128`, false},
		{"bounds of another list", []string{bounds[0], `self.l.all(x, size(x.matches) <= 8)`}, matchesOf(member, 16) + ` <= 128`, false},
		{"an item beyond the test", bounds, `(size(self) > 0 ? size(self[1].matches) : 0) <= 8`, false},
		{"an item that is there always", append([]string{`size(self) >= 2`}, bounds...), `size(self[1].matches) + size(self[0].matches) <= 16`,
			true},
		{"an item that is not", append([]string{`size(self) >= 2`}, bounds...), `size(self[2].matches) <= 8`, false},
		{"an item before the first", append([]string{`size(self) >= 2`}, bounds...), `size(self[-1].matches) <= 8`, false},
		{"a list below", []string{`size(self.l) <= 2`, `self.l.all(x, size(x.matches) <= 8)`},
			`(size(self.l) > 0 ? size(self.l[0].matches) : 0) + (self.l.size() > 1 ? self.l[1].matches.size() : 0) <= 16`, true},
		{"a list below that may be missing", []string{`!has(self.l) || size(self.l) <= 2 && self.l.all(x, size(x.m) <= 8)`},
			`!has(self.l) || (size(self.l) > 0 ? size(self.l[0].m) : 0) <= 8`, true},
		{"a list below that may be missing, chosen", []string{`!has(self.l) || size(self.l) <= 2 && self.l.all(x, has(x.m) && size(x.m) <= 8)`},
			`has(self.l) ? (size(self.l) > 0 ? size(self.l[0].m) : 0) + (size(self.l) > 1 ? size(self.l[1].m) : 0) <= 16 : true`, true},
		{"a list below that may be missing, not tested", []string{`!has(self.l) || size(self.l) <= 2 && self.l.all(x, size(x.m) <= 8)`},
			`(size(self.l) > 0 ? size(self.l[0].m) : 0) <= 8`, false},
		{"lists in lists", []string{`size(self) <= 9`, `self.all(x, size(x.l) >= 1 && x.l.all(y, size(y.m) <= 3))`},
			`(size(self) > 4 ? size(self[4].l[0].m) : 1) <= 3`, true},
		{"items of items", []string{`self.all(x, size(x.l) >= 1 && x.l.all(y, size(y.m) <= 3))`}, `self.all(z, size(z.l[0].m) < 4)`, true},
		{"a size times a constant", bounds, `size(self) * 3 - 1 <= 47`, true},
		{"a size times a constant, at least", bounds, `size(self) * 3 - 1 >= -1`, true},
		{"a size times a fractional constant, of another type", bounds, `size(self) * 3.0 <= 48`, false},
		{"a difference", []string{`size(self.a) <= 5`, `size(self.b) >= 2 && size(self.b) <= 3`},
			`size(self.a) - size(self.b) <= 3 && size(self.a) - size(self.b) >= -3`, true},
		{"a smaller difference", []string{`size(self.a) <= 5`, `size(self.b) >= 2 && size(self.b) <= 3`},
			`size(self.a) - size(self.b) <= 2`, false},
		{"exactly one sum", []string{`size(self.a) == 2`, `size(self.b) == 3`}, `size(self.a) + size(self.b) == 5`, true},
		{"one of two sums", []string{`size(self.a) == 2`, `size(self.b) in [2, 3]`}, `size(self.a) + size(self.b) == 5`, false},
		{"sums of both sides", []string{`size(self.a) <= 2`, `size(self.b) >= 5`}, `size(self.a) + 2 < size(self.b)`, true},
		{"sums of both sides that may meet", []string{`size(self.a) <= 2`, `size(self.b) >= 4`}, `size(self.a) + 2 < size(self.b)`, false},
		{"a sum that overflows", []string{`size(self.a) <= 2`}, `size(self.a) + 9007199254740991 + 9007199254740991 > 0`, false},
		{"fields of which no type is known", []string{`self.a <= 2 && self.b <= 2`}, `self.a + self.b <= 4`, false},
		{"fields of known types", []string{`type(self.a) == int && self.a >= 0 && self.a <= 2`, `type(self.b) == int && self.b in [1, 2]`},
			`self.a + self.b <= 4`, true},
		{"fields of another type", []string{`type(self.a) == double && self.a >= 0 && self.a <= 2`, `type(self.b) == int && self.b in [1, 2]`},
			`self.a + self.b <= 4`, false},
		{"a field without a lower bound", []string{`type(self.a) == int && self.a <= 2`}, `self.a + 1 <= 3`, false},
		{"fields of items", []string{`size(self) <= 2`, `self.all(x, type(x.n) == int && x.n > 0 && x.n < 5)`},
			`(size(self) > 0 ? self[0].n : 0) + (size(self) > 1 ? self[1].n : 0) <= 10`, true},
		{"a sum of which a term may fail", []string{`size(self.a) <= 2`}, `size(self.a) + size(self.b) >= 0`, false},
		{"a condition of a choice that may fail", []string{`size(self.a) <= 2`}, `(self.c > 1 ? size(self.a) : 0) <= 2`, false},
		{"a condition that does not fail", []string{`size(self.a) <= 2`, `self.c > 0 || self.c <= 0`, `has(self.c)`},
			`(self.c == 1 ? size(self.a) : 0) <= 2`, true},
		{"set fields, counted", []string{`has(self.o.z)`}, `(has(self.o.a) ? 1 : 0) + (has(self.o.b) ? 1 : 0) <= 2`, true},
		{"set fields, counted beyond", []string{`has(self.o.z)`}, `(has(self.o.a) ? 1 : 0) + (has(self.o.b) ? 1 : 0) <= 1`, false},
		{"set fields, counted, which may be of nothing", []string{`has(self.o.z) || self.b`}, `(has(self.o.a) ? 1 : 0) <= 1`, false},
		{"a choice with a greater otherwise", bounds, `(size(self) > 0 ? size(self[0].matches) : 9) <= 8`, false},
		{"a choice by a test that an or spares", bounds, `(size(self) < 1 || has(self[0].z) ? 1 : 0) <= 1`, true},
		{"a choice by a test that an or does not spare", bounds, `(size(self) < 1 || has(self[1].z) ? 1 : 0) <= 1`, false},
		{"a pattern bounds a size that is added", []string{`self.a.matches('^[a-z]{1,63}$')`}, `size(self.a) + 1 <= 64`, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, Implies(tc.old, tc.new))
		})
	}
}
