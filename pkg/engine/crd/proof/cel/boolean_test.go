// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// sameParent is the condition in the rules of Gateway API's routes that two references name the same parent.
const sameParent = `p1.group == p2.group && p1.kind == p2.kind && p1.name == p2.name && (((!has(p1.__namespace__) || ` +
	`p1.__namespace__ == '') && ` +
	`(!has(p2.__namespace__) || p2.__namespace__ == '')) || (has(p1.__namespace__) && has(p2.__namespace__) && p1.__namespace__ == ` +
	`p2.__namespace__ ))`

func TestImplies_EqualConditions(t *testing.T) {
	const noA, noB = `(!has(self.a) || self.a == '')`, `(!has(self.b) || self.b == '')`
	const someA, someB = `(has(self.a) && self.a != '')`, `(has(self.b) && self.b != '')`
	both := func(guard, condition string) string {
		return `self.all(p1, self.all(p2, ` + guard + ` ? ` + condition + ` : true))`
	}
	const noSection1, noSection2 = `(!has(p1.sectionName) || p1.sectionName == '')`, `(!has(p2.sectionName) || p2.sectionName == '')`
	const sections = `((` + noSection1 + ` && ` + noSection2 +
		`) || (has(p1.sectionName) && p1.sectionName != '' && has(p2.sectionName) && p2.sectionName != ''))`
	for _, tc := range []struct {
		name string
		old  []string
		new  string
		want bool
	}{
		{"both or none, as an equality", []string{noA + `&&` + noB + `||` + someA + `&&` + someB}, noA + ` == ` + noB, true},
		{"an equality, as both or none", []string{noA + ` == ` + noB}, noA + `&&` + noB + `||` + someA + `&&` + someB, true},
		{"one or the other, as an inequality", []string{noA + `&&` + someB + `||` + someA + `&&` + noB}, noA + ` != ` + noB, true},
		{"one or the other is no equality", []string{noA + `&&` + someB + `||` + someA + `&&` + noB}, noA + ` == ` + noB, false},
		{"each follows from the other", []string{`!` + noA + ` || ` + noB, `!` + noB + ` || ` + noA}, noA + ` == ` + noB, true},
		{"one follows from the other", []string{`!` + noA + ` || ` + noB}, noA + ` == ` + noB, false},
		{"an equality of both as an inequality with the contrary", []string{`has(self.a) == has(self.b)`}, `has(self.a) != !has(self.b)`, true},
		{"a negated inequality", []string{`!(has(self.a) != has(self.b))`}, `has(self.b) == has(self.a)`, true},
		{"one more equal", []string{`has(self.a) == has(self.b)`, `has(self.b) == has(self.c)`}, `has(self.a) == has(self.c)`, true},
		{"one more unequal", []string{`has(self.a) == has(self.b)`, `has(self.b) != has(self.c)`}, `has(self.a) == has(self.c)`, false},
		{"equal, and one is known", []string{`(self.a > 1) == (self.b > 1)`, `self.a > 2`}, `self.b > 0`, true},
		{"equal, and another is known", []string{`(self.a > 1) == (self.b > 1)`, `self.a > 0`}, `self.b > 0`, false},
		{"macros", []string{`self.l.all(x, x > 1) == self.m.exists(x, x > 1)`}, `self.l.all(x, x > 0) || self.m.all(x, x < 2)`, true},
		{"macros that are not equal", []string{`self.l.all(x, x > 1) != self.m.exists(x, x > 1)`},
			`self.l.all(x, x > 0) || self.m.all(x, x < 2)`, false},
		{"with a truth", []string{`(self.a > 1) == true`}, `self.a > 0`, true},
		{"with what is false", []string{`(self.a > 1) != true`}, `self.a < 2`, true},
		{"a condition that may fail is not equal to itself", nil, `(self.a > 1) == (self.a > 1)`, false},
		{"a field that may be missing is not equal to itself", []string{`has(self.b)`}, `(self.a == 'x') == (self.a == 'x')`, false},
		{"two values that may be of any type may not be comparable", []string{`has(self.a) && has(self.b)`},
			`(self.a == self.b) == (self.a == self.b)`, false},
		{"two texts are", []string{`self.a.startsWith('x') && has(self.b)`}, `(self.a == self.b) == (self.a == self.b)`, true},
		{"a test of a field may fail", nil, `has(self.a) == has(self.a)`, false},
		{"has() may fail where another field may not have been tested", []string{`has(self.o.z) || self.b`},
			`has(self.o.a) == has(self.o.a)`, false},
		{"has() does not fail where another field was tested in each case", []string{`!has(self.o.z) || self.o.z > 1`},
			`has(self.o.a) == has(self.o.a)`, true},
		{"has() does not fail where another field is known", []string{`self.b > 1`}, `has(self.a) == has(self.a)`, true},
		{"a field is read if present", []string{`has(self.b)`}, noA + ` == ` + noA, true},
		{"an operand that an or absorbs may fail", []string{`self.b || self.a > 1`}, `(self.a > 1) == (self.a > 1)`, false},
		{"what was compared does not fail", []string{`self.a == 'x' || self.a != 'x'`}, `(self.a == 'y') == (self.a == 'y')`, true},
		{"a field that is not a bool", []string{`self.f != (self.a > 1)`}, `self.f == (self.a <= 1)`, false},
		{"items, by cases", []string{both(`p1.name == p2.name`, sections)}, both(`p1.name == p2.name`, noSection1+` == `+noSection2), true},
		{"items, as in Gateway API", []string{both(sameParent, sections)}, both(sameParent, `(`+noSection1+` == `+noSection2+`)`), true},
		{"items, the other way around", []string{both(sameParent, noSection1+` == `+noSection2)}, both(sameParent, sections), true},
		{"items, with another guard", []string{both(`p1.name == p2.name`, sections)}, both(`p1.kind == p2.kind`, noSection1+` == `+noSection2),
			false},
		{"items, of another field", []string{both(sameParent, sections)}, both(sameParent, noSection1+` == (!has(p2.port) || p2.port == 0)`),
			false},
		{"items, with one case less", []string{both(sameParent, sections+` || has(p1.port)`)}, both(sameParent, noSection1+` == `+noSection2),
			false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, Implies(tc.old, tc.new))
		})
	}
}
