// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompareVersions(t *testing.T) {
	given := []string{"1.0.0", "v1.10.0", "1.9.0", "x", "1.10.0", "1.0.0-rc.1", "1.0.0-rc.10", "1.0.0-rc.2", "1.0", "1.0.0", "latest", ""}
	assert.Equal(t, []string{"v1.10.0", "1.10.0", "1.9.0", "1.0.0", "1.0.0-rc.10", "1.0.0-rc.2", "1.0.0-rc.1"}, newestFirst(given))
	assert.Negative(t, CompareVersions("x", "0.0.1"))
	assert.Positive(t, CompareVersions("0.0.1", "x"))
	assert.Negative(t, CompareVersions("x", "y"))
	assert.Zero(t, CompareVersions("v1.0.0", "v1.0.0"))
	assert.NotZero(t, CompareVersions("1.0.0", "v1.0.0"))
}

func TestParseRange(t *testing.T) {
	for text, held := range map[string][]string{
		">=1.14.0 <2.0.0": {"1.14.0", "v1.99.0"},
		"^1.14":           {"1.14.0", "v1.99.0"},
		"*":               {"1.14.0", "v1.99.0", "2.0.0"},
		">=2.0.0-0":       {"2.0.0", "2.1.0-rc.1"},
	} {
		parsed, err := ParseRange(text)
		require.NoError(t, err)
		var got []string
		for _, version := range []string{"1.14.0", "v1.99.0", "2.0.0", "2.1.0-rc.1", "latest"} {
			if parsed.Holds(version) {
				got = append(got, version)
			}
		}
		assert.Equal(t, held, got, text)
	}
	_, err := ParseRange("newest")
	require.ErrorContains(t, err, `"newest" is not a range of versions`)
	assert.False(t, Range{}.Holds("1.0.0"))
}
