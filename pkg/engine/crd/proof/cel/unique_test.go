// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestImplies_ExistsOne(t *testing.T) {
	unique := func(condition string) string { return `self.all(a, self.exists_one(b, ` + condition + `))` }
	const listener = `a.port == b.port && a.protocol == b.protocol && (has(a.hostname) && has(b.hostname) ? a.hostname == b.hostname : `
	for _, tc := range []struct {
		name string
		old  []string
		new  string
		want bool
	}{
		{"narrower around itself, as in Gateway API", []string{unique(listener + `true)`)},
			unique(listener + `!has(a.hostname) && !has(b.hostname))`), true},
		{"wider", []string{unique(listener + `!has(a.hostname) && !has(b.hostname))`)}, unique(listener + `true)`), false},
		{"more that must be equal", []string{unique(`a.x == b.x`)}, unique(`a.x == b.x && a.x == b.x`), true},
		{"an additional field that may be missing and must be equal", []string{unique(`a.x == b.x`)}, unique(`a.x == b.x && a.y == b.y`), false},
		{"an additional present field of unknown type", []string{unique(`a.x == b.x`), `self.all(a, has(a.y))`},
			unique(`a.x == b.x && a.y == b.y`), true},
		{"an additional present field", []string{unique(`a.x == b.x`), `self.all(a, type(a.y) == string)`},
			unique(`a.x == b.x && (has(a.y) && has(b.y) && a.y == b.y)`), true},
		{"an additional field, if present", []string{unique(`a.x == b.x`), `self.all(a, !has(a.y) || type(a.y) == string)`},
			unique(`a.x == b.x && (has(a.y) ? has(b.y) && a.y == b.y : !has(b.y))`), true},
		{"a condition before that may fail", []string{unique(`a.x == b.x`)}, unique(`a.y == b.y && a.x == b.x`), false},
		{"a field that decides whether another is evaluated", []string{unique(`has(a.y) && a.x == b.x`)},
			unique(`has(a.y) && has(b.y) && a.y == b.y && a.x == b.x`), false},
		{"a field that was compared", []string{unique(`a.x == b.x`)}, unique(`a.x == b.x || a.x != b.x && a.y == b.y`), false},
		{"one field less", []string{unique(`a.x == b.x && a.y == b.y`)}, unique(`a.x == b.x`), false},
		{"narrower, but not true of itself", []string{unique(`a.x == b.x`)}, unique(`a.x == b.x && a.x != b.x`), false},
		{"narrower, but maybe not true of itself", []string{unique(`a.x == b.x`)}, unique(`a.x == b.x && a.x != 'q'`), false},
		{"narrower, of another list", []string{`self.l.all(a, self.m.exists_one(b, a.x == b.x))`},
			`self.l.all(a, self.m.exists_one(b, a.x == b.x && (has(a.y) ? has(b.y) && a.y == b.y : !has(b.y))))`, false},
		{"an equivalent condition, of another list", []string{`self.l.all(a, self.m.exists_one(b, a.x > 0 && b.x > 1))`},
			`self.l.all(a, self.m.exists_one(b, !(b.x <= 1 || a.x <= 0)))`, true},
		{"an equivalent condition", []string{`self.exists_one(a, a in ['x', 'y'])`}, `self.exists_one(a, a == 'y' || a == 'x')`, true},
		{"a narrower condition", []string{`self.exists_one(a, a in ['x', 'y'])`}, `self.exists_one(a, a == 'y')`, false},
		{"keys and values", []string{`self.exists_one(k, v, v > 3)`}, `self.exists_one(k, v, v > 2)`, false},
		{"some item is not the only one", []string{`self.all(a, self.exists(b, a.x == b.x))`}, unique(`a.x == b.x`), false},
		{"the only one is some item", []string{unique(`a.x == b.x`)}, `self.all(a, self.exists(b, a.x == b.x))`, true},
		{"the only one is some item, of which more is asked", []string{unique(`a.x == b.x`)},
			`self.all(a, self.exists(b, a.x == b.x && a.y == b.y))`, false},
		{"the only one is not each", []string{`self.exists_one(b, b.x > 3)`}, `self.all(b, b.x > 3)`, false},
		{"the only key is some key", []string{`self.exists_one(k, v, v > 3)`}, `self.exists(k, v, v > 2)`, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, Implies(tc.old, tc.new))
		})
	}
}
