// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func texts(paths []Path) []string {
	var all []string
	for _, p := range paths {
		all = append(all, p.String())
	}
	return all
}

func TestReadsOf(t *testing.T) {
	type strs = []string
	for _, tc := range []struct {
		rule          string
		self, old     []string
		guarded       []string
		transition    bool
		wholeSelfRead bool
	}{
		{rule: `true`},
		{rule: `self.spec.f > 1`, self: strs{"spec.f"}},
		{rule: `self.a > 1 && self.b == self.a`, self: strs{"a", "b"}},
		{rule: `self > 1`, self: strs{""}, wholeSelfRead: true},
		{rule: `size(self) > 1`, self: strs{""}, wholeSelfRead: true},
		{rule: `self == oldSelf`, self: strs{""}, old: strs{""}, transition: true, wholeSelfRead: true},
		{rule: `self.a == oldSelf.a`, self: strs{"a"}, old: strs{"a"}, transition: true},
		{rule: `!has(self.a) || self.a.b == 1`, self: strs{"a", "a.b"}, guarded: strs{"a"}},
		{rule: `has(self.a.b)`, self: strs{"a.b"}, guarded: strs{"a.b"}},
		{rule: `has(oldSelf.a)`, old: strs{"a"}, transition: true},
		{rule: `self.?a.orValue(5) > 3`, self: strs{"a"}, guarded: strs{"a"}},
		{rule: `self.?a.?b.orValue(self.c) > 3`, self: strs{"a.b", "c"}, guarded: strs{"a", "a.b"}},
		{rule: `self.list.all(x, x.y > 1)`, self: strs{"list[*].y"}},
		{rule: `self.list.all(x, x > 1)`, self: strs{"list[*]"}},
		{rule: `self.list.all(x, self.y > 1)`, self: strs{"list", "y"}},
		{rule: `self.list.all(x, self.list.exists_one(y, y.n == x.n))`, self: strs{"list[*].n"}},
		{rule: `self.all(x, x.y > 1)`, self: strs{"[*].y"}},
		{rule: `self.m.all(k, v, v.x > 1)`, self: strs{"m[*].x"}},
		{rule: `self.m.all(k, v, k != 'a')`, self: strs{"m"}},
		{rule: `self.m['a'].b > 1`, self: strs{"m[*].b"}},
		{rule: `self.l[self.i].b > 1`, self: strs{"i", "l[*].b"}},
		{rule: `'a' in self.m`, self: strs{"m"}},
		{rule: `self.list.filter(x, x.on).all(y, y.b > 1)`, self: strs{"list[*].b", "list[*].on"}},
		{rule: `self.list.map(x, x.a).exists(y, y.b)`, self: strs{"list[*].a.b"}},
		{rule: `self.list.map(x, x.on, x.a).exists(y, y.b)`, self: strs{"list[*].a.b", "list[*].on"}},
		{rule: `self.list.map(x, x.a).size() > 1`, self: strs{"list[*].a"}},
		{rule: `[self.a, self.b].exists(x, x.c)`, self: strs{"a.c", "b.c"}},
		{rule: `[[self.a]].all(x, x.all(y, y.c))`, self: strs{"a"}},
		{rule: `(self.a ? self.b : self.c).d`, self: strs{"a", "b.d", "c.d"}},
		{rule: `self.?a.optMap(v, v.b > 1).orValue(true)`, self: strs{"a.b"}, guarded: strs{"a"}},
		{rule: `self.list.all(self, self.a)`, self: strs{"list[*].a"}},
		{rule: `self.list.exists(oldSelf, oldSelf.a)`, self: strs{"list[*].a"}},
		{rule: `self.a__dash__b.__namespace__.c__dot__d > 1`, self: strs{"a-b.namespace.c.d"}},
		{rule: `self.x__underscores__y`, self: strs{"x__y"}},
		{rule: `self.name.matches('a') && quantity(self.q).isGreaterThan(quantity('1'))`, self: strs{"name", "q"}},
		{rule: `{'a': self.b}['a'] == self.c`, self: strs{"b", "c"}},
		{rule: `self.list.transformList(i, v, v.a)[0].b`, self: strs{"list[*].a.b"}},
		{rule: `self.list.sortBy(x, x.a)[0].b`, self: strs{"list[*].a", "list[*].b"}},
		{rule: `optional.of(self.a).value().b`, self: strs{"a.b"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			reads, err := ReadsOf(tc.rule)
			require.NoError(t, err)
			assert.Equal(t, tc.self, texts(reads.Self))
			assert.Equal(t, tc.old, texts(reads.OldSelf))
			assert.Equal(t, tc.guarded, texts(reads.Guarded))
			assert.Equal(t, tc.transition, reads.Transition)
			assert.Equal(t, tc.wholeSelfRead, reads.Whole)
		})
	}
}

func TestReadsOf_UnescapesNames(t *testing.T) {
	reads, err := ReadsOf(`self.a__dash__b.c__dot__d[0] == 1`)
	require.NoError(t, err)
	assert.Equal(t, []Path{{"a-b", "c.d", Each}}, reads.Self)
}

func TestParse_Errors(t *testing.T) {
	for _, rule := range []string{``, `self.`, `has(self)`, `self.l.all(1, true)`, `self.l.all(x, x, true)`, `.self.a`,
		"self.`a-b`", `self.a = 1`} {
		_, err := Parse(rule)
		assert.Error(t, err, rule)
		_, err = ReadsOf(rule)
		assert.Error(t, err, rule)
	}
	rule, err := Parse(`self.a > 1`)
	require.NoError(t, err)
	assert.Equal(t, `self.a > 1`, rule.String())
}
