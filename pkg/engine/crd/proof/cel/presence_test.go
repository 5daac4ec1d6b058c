// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// named reports fields whose name begins with new as absent, and with old as present.
func named(path []string) Presence {
	switch last := path[len(path)-1]; {
	case strings.HasPrefix(last, "new"):
		return Absent
	case strings.HasPrefix(last, "old"):
		return Present
	default:
		return Unknown
	}
}

func TestTrueWhen(t *testing.T) {
	for _, tc := range []struct {
		rule string
		want bool
	}{
		{`true`, true},
		{`false`, false},
		{`!has(self.newField) || self.newField.size() < 5`, true},
		{`self.newField.size() < 5 || !has(self.newField)`, true},
		{`self.newField.size() < 5`, false},
		{`has(self.newField)`, false},
		{`!has(self.newField)`, true},
		{`!(has(self.newField) && self.newField > 1)`, true},
		{`has(self.newField) && self.newField > 1`, false},
		{`has(self.newField) ? self.newField > 1 : true`, true},
		{`has(self.newField) ? true : self.newField > 1`, false},
		{`self.newField > 1 ? true : true`, false},
		{`self.a > 1`, false},
		{`self.a > 1 || !has(self.newField)`, true},
		{`self.a > 1 && !has(self.newField)`, false},
		{`self.oldField > 1 ? !has(self.newField) : true`, true},
		{`self.a > 1 ? !has(self.newField) : true`, false},
		{`has(self.a) && self.a > 1 ? !has(self.newField) : true`, true},
		{`!has(self.a.newField)`, false},
		{`!has(self.a) || !has(self.a.newField)`, true},
		{`!has(self.oldField.newField)`, true},
		{`!has(self.newField.b)`, false},
		{`!has(self.newField) || !has(self.newField.b)`, true},
		{`!has(self.a) || !has(self.b)`, false},
		{`!has(self.a) || has(self.a)`, true},
		{`has(self.a) == has(self.a)`, false},
		{`!(has(self.newOne) && has(self.newTwo))`, true},
		{`!(has(self.newOne) && has(self.a))`, true},
		{`has(self.newOne) == has(self.newTwo)`, false},
		{`self.?newField.orValue(5) > 3`, true},
		{`self.?newField.orValue(2) > 3`, false},
		{`self.?newField.orValue('x') == 'x'`, true},
		{`self.?newField.orValue('x') in ['x', 'y']`, true},
		{`self.?newField.orValue('abc').startsWith('ab')`, true},
		{`self.?newField.orValue('abc').matches('^x')`, false},
		{`size(self.?newField.orValue('abc')) == 3`, true},
		{`self.?newField.orValue([]).all(x, x > 1)`, true},
		{`self.?newField.orValue([]).exists(x, x > 1)`, false},
		{`!self.?newField.orValue([]).exists(x, x > 1)`, true},
		{`self.?newField.orValue([1, 2]).all(x, x > 0)`, true},
		{`self.?newField.orValue([]).size() < 5`, true},
		{`!self.?newField.hasValue()`, true},
		{`self.?newField.hasValue()`, false},
		{`self.?newField == optional.none()`, true},
		{`self.?newField.value() > 1`, false},
		{`self.?newField.?b.orValue(true)`, true},
		{`self.?newField.b.orValue(true)`, true},
		{`self.?a.?newField.orValue(true)`, true},
		{`self.?a.newField.orValue(true)`, true},
		{`self.a.?newField.orValue(true)`, false},
		{`self.?newField.optMap(v, v > 1).orValue(true)`, true},
		{`self.?a.optMap(v, !has(v.newField)).orValue(true)`, false},
		{`self.?newField.or(optional.of(1)).hasValue()`, true},
		{`!has(self.newList) || self.newList.all(x, x.size() > 1)`, true},
		{`self.newList.all(x, x.size() > 1)`, false},
		{`self.list.all(x, !has(x.newField) || x.newField > 1)`, false},
		{`self.oldList.all(x, !has(x.newField) || x.newField > 1)`, true},
		{`self.oldList.all(x, x.newField > 1)`, false},
		{`!has(self.list) || self.list.all(x, !has(x.newField) || x.newField > 1)`, true},
		{`!has(self.list) || self.list.all(x, !has(x.b) || !has(x.b.newField))`, true},
		{`!has(self.list) || self.list.all(x, !has(x.b.newField))`, false},
		{`!has(self.list) || !self.list.exists(x, has(x.newField) && x.newField > 1)`, true},
		{`!has(self.list) || self.list.exists(x, !has(x.newField))`, false},
		{`has(self.list) && self.list.exists(x, has(x.f)) == self.list.all(x, has(x.f)) || !has(self.list)`, false},
		{`!has(self.list) || self.list.all(x, has(x.f)) || self.list.all(x, !has(x.f))`, false},
		{`!has(self.list) || self.list.filter(x, has(x.newField)).size() == 0`, false},
		{`!has(self.list) || self.list.filter(x, x == 'a' || true).all(y, !has(y.newField))`, true},
		{`!has(self.list) || self.list.all(x, !has(self.m) || self.m.all(y, !has(y.newField) || y.newField == x))`, true},
		{`self.oldMap.all(k, v, !has(v.newField))`, true},
		{`!has(self.list) || self.list.map(x, x.a).all(y, true)`, false},
		{`self.oldList[0].newField > 1 || true`, true},
		{`!has(self.oldList[0].newField)`, false},
		{`!has(oldSelf.newField) || has(self.newField)`, false},
		{`has(self.newField) ? has(oldSelf.newField) : true`, true},
		{`self == oldSelf`, false},
		{`!has(oldSelf.a) || has(oldSelf.a)`, true},
		{`self.a.lowerAscii() == 'x' || !has(self.newField)`, true},
		{`!has(self.newField) || quantity(self.newField).isLessThan(quantity('1Gi'))`, true},
		{`[has(self.newOne), has(self.newTwo)].all(x, !x)`, true},
		{`[has(self.newOne), has(self.newTwo), has(self.a)].exists(x, x)`, false},
		{`[self.newOne].all(x, true)`, false},
		{`[has(self.newOne), has(self.newTwo)].filter(x, x).size() <= 1`, true},
		{`[has(self.newOne), has(self.newTwo)].filter(x, x == true).size() == 1`, false},
		{`(has(self.newOne) ? 1 : 0) + (has(self.newTwo) ? 1 : 0) <= 1`, false},
		{`(has(self.newOne) ? 1 : 0) <= 1`, true},
		{`self.newField in ['a'] || self.newField == ''`, false},
		{`!('k' in self.oldMap) || true`, true},
		{`not CEL`, false},
		{strings.Repeat("!", 2) + `!has(self.newField)`, true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			assert.Equal(t, tc.want, TrueWhen(tc.rule, named))
		})
	}
}

func TestTrueWhen_UnescapesNames(t *testing.T) {
	var asked []string
	absent := func(path []string) Presence {
		asked = append(asked, Path(path).String())
		return pick(path[0] == "new-field", Absent, Unknown)
	}
	assert.True(t, TrueWhen(`!has(self.new__dash__field) || self.new__dash__field.a > 1`, absent))
	assert.Contains(t, asked, "new-field")
	assert.False(t, TrueWhen(`self.b > 1`, absent))
}

func TestTrueWhen_ManyCases(t *testing.T) {
	var parts []string
	for _, a := range strings.Split("abcdefghijklmnop", "") {
		parts = append(parts, "(has(self."+a+") || self.l.all(x, has(x."+a+") || self.l.all(y, has(y."+a+"))))")
	}
	assert.False(t, TrueWhen(strings.Join(parts, " && "), named))
}

func TestImpliesWhen(t *testing.T) {
	for _, tc := range []struct {
		name string
		old  []string
		new  string
		want bool
	}{
		{"one more of which at most one is set", []string{`!(has(self.a) && has(self.b))`},
			`!(has(self.a) && has(self.b)) && !(has(self.a) && has(self.newOne))`, true},
		{"one more of which exactly one is set", []string{`[has(self.a), has(self.b)].exists_one(x, x)`},
			`[has(self.a), has(self.newOne), has(self.b)].exists_one(y, y)`, true},
		{"one more, counted", []string{`[has(self.a), has(self.b)].filter(x, x).size() == 1`},
			`size([has(self.a), has(self.b), has(self.newOne)].filter(x, x)) == 1`, true},
		{"one more, counted by truth", []string{`[has(self.a), has(self.b)].filter(x, x == true).size() <= 1`},
			`[has(self.a), has(self.b), has(self.newOne)].filter(x, x == true).size() <= 1`, true},
		{"one more, added up", []string{`(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1`},
			`(has(self.a) ? 1 : 0) + (has(self.newOne) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1`, true},
		{"one more, that is known", []string{`(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1`},
			`(has(self.a) ? 1 : 0) + (has(self.oldOne) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1`, false},
		{"one more, of which nothing is known", []string{`[has(self.a), has(self.b)].exists_one(x, x)`},
			`[has(self.a), has(self.c), has(self.b)].exists_one(y, y)`, false},
		{"one more that may be set instead", []string{`has(self.a) || has(self.b)`}, `has(self.a) || has(self.b) || has(self.newOne)`, true},
		{"only the new one may be set", []string{`has(self.a) || has(self.b)`}, `has(self.a) || has(self.newOne)`, false},
		{"a condition on the new one", []string{`self.a > 3`}, `has(self.newOne) ? self.newOne > 1 : self.a > 2`, true},
		{"the new one is below what may be missing", []string{`self.a > 3`}, `self.a > 3 && !has(self.b.newOne)`, false},
		{"the new one is below what is there", []string{`self.a > 3`}, `self.a > 3 && !has(self.oldOne.newOne)`, true},
		{"an optional", []string{`self.a > 3`}, `self.a > self.?newOne.orValue(2)`, true},
		{"an optional with a larger weight", []string{`self.a > 3`}, `self.a > self.?newOne.orValue(4)`, false},
		{"a variable that hides self", []string{`self.a > 3`}, `self.a > 3 && self.l.all(self, !has(self.newOne))`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, ImpliesWhen(tc.old, tc.new, named))
			assert.Equal(t, tc.want && Implies(tc.old, tc.new), Implies(tc.old, tc.new), "nothing is implied by less")
		})
	}
}
