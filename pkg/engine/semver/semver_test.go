// SPDX-License-Identifier: Apache-2.0

package semver

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestCompare(t *testing.T) {
	ascending := []string{"", "1.0", "latest", "x", "1.0.0-rc.1", "1.0.0-rc.2", "1.0.0-rc.10", "1.0.0", "1.0.0+a", "v1.0.0", "1.9.0",
		"1.10.0", "v1.10.0"}
	shuffled := []string{"1.10.0", "x", "1.0.0-rc.10", "v1.0.0", "1.0.0+a", "", "1.0.0-rc.2", "1.9.0", "latest", "1.0.0", "v1.10.0", "1.0",
		"1.0.0-rc.1"}
	slices.SortFunc(shuffled, Compare)
	assert.Equal(t, ascending, shuffled)
}

func TestCompare_IsATotalOrder(t *testing.T) {
	version := rapid.StringMatching(`v?[0-2](\.[0-2]){1,2}(-[a-b1-2]{1,2})?(\+[a-b])?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := version.Draw(t, "a"), version.Draw(t, "b"), version.Draw(t, "c")
		assert.Equal(t, Compare(a, b), -Compare(b, a))
		assert.Equal(t, a == b, Compare(a, b) == 0)
		if Compare(a, b) < 0 && Compare(b, c) < 0 {
			assert.Negative(t, Compare(a, c))
		}
	})
}

func TestEqual(t *testing.T) {
	assert.True(t, Equal("v1.0.0", "1.0.0"))
	assert.False(t, Equal("1.0.0+a", "1.0.0+b"))
}
