// SPDX-License-Identifier: Apache-2.0

package semver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
