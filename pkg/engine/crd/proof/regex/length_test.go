// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLength(t *testing.T) {
	for _, tc := range []struct {
		pattern           string
		shortest, longest int
		bounded           bool
	}{
		{`^[a-z]{1,63}$`, 1, 63, true},
		{`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, 1, 63, true},
		{`^[a-z]{3,}$`, 3, 0, false},
		{`^a$|^bbb$`, 1, 3, true},
		{`^$`, 0, 0, true},
		{``, 0, 0, false},
		{`abc`, 3, 0, false},
		{`^abc`, 3, 0, false},
		{`abc$`, 3, 0, false},
		{`^(a|bb)(c|ddd)?$`, 1, 5, true},
		{`^ä{2}$`, 2, 2, true},
		{`(?m)^a{1,3}$`, 1, 0, false},
		{`^a?b?c?$`, 0, 3, true},
		{`a\bb`, 0, 0, true},
		{`[^\x00-\x{10FFFF}]`, 0, 0, true},
		{`(`, 0, 0, false},
		{`^(a|b*)$`, 0, 0, false},
		{`^a(b*c)?$`, 1, 0, false},
		{`^#[0-9a-fA-F]{6}$`, 7, 7, true},
		{`^a{1000}$`, 1000, 1000, true},
		{`^[ab]*a[ab]{30}$`, 0, 0, false},
	} {
		t.Run(tc.pattern, func(t *testing.T) {
			shortest, longest, bounded := Length(tc.pattern)
			assert.Equal(t, []any{tc.shortest, tc.longest, tc.bounded}, []any{shortest, longest, bounded})
		})
	}
}

func TestOfLength(t *testing.T) {
	pattern, ok := OfLength(2, 5)
	require.True(t, ok)
	shortest, longest, bounded := Length(pattern)
	assert.Equal(t, []any{2, 5, true}, []any{shortest, longest, bounded})
	pattern, ok = OfLength(3, -1)
	require.True(t, ok)
	shortest, _, bounded = Length(pattern)
	assert.Equal(t, []any{3, false}, []any{shortest, bounded})
	for _, bad := range [][2]int{{0, 1001}, {1001, -1}, {5, 4}} {
		_, ok = OfLength(bad[0], bad[1])
		assert.False(t, ok, bad)
	}
}
