// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func versions(texts ...string) []Version {
	var all []Version
	for _, text := range texts {
		all = append(all, Version{Name: "op-" + text, Version: text})
	}
	return all
}

func TestLower(t *testing.T) {
	for name, tc := range map[string]struct {
		of        string
		all, want []Version
	}{
		"none":               {"1.0.0", nil, nil},
		"newest first":       {"v1.10.0", versions("v1.2.0", "v1.9.0", "v1.10.0", "v2.0.0"), versions("v1.9.0", "v1.2.0")},
		"with and without v": {"1.1.0", versions("v1.0.0", "0.9.0"), versions("v1.0.0", "0.9.0")},
		"pre-releases are lower": {"1.0.0", versions("1.0.0-rc.1", "1.0.0-rc.10", "1.0.0-rc.2"), versions("1.0.0-rc.10",
			"1.0.0-rc.2", "1.0.0-rc.1")},
		"builds by their text":  {"1.0.0+b", versions("1.0.0+a", "1.0.0+c", "1.0.0", "0.1.0"), versions("1.0.0+a", "1.0.0", "0.1.0")},
		"v by its text":         {"v1.0.0", versions("1.0.0", "v1.0.0"), versions("1.0.0")},
		"not a version":         {"1.0.0", versions("latest", "0.1.0"), versions("0.1.0")},
		"of an invalid version": {"latest", versions("0.1.0"), nil},
	} {
		t.Run(name, func(t *testing.T) { require.ElementsMatch(t, tc.want, Lower(tc.of, tc.all)) })
	}
	require.Equal(t, versions("v1.9.0", "v1.2.0"), Lower("v1.10.0", versions("v1.2.0", "v1.9.0")))
}

// TestLower_Invariants checks that the result is lower and sorted in descending order, that no lower version
// is missing, and that one of two different versions is lower than the other.
func TestLower_Invariants(t *testing.T) {
	version := rapid.Custom(func(t *rapid.T) string {
		small := rapid.IntRange(0, 2)
		text := fmt.Sprintf("%s%d.%d.%d", rapid.SampledFrom([]string{"", "v"}).Draw(t, "v"), small.Draw(t, "major"),
			small.Draw(t, "minor"), small.Draw(t, "patch"))
		return text + rapid.SampledFrom([]string{"", "-rc.1", "-rc.2", "+b"}).Draw(t, "rest")
	})
	rapid.Check(t, func(t *rapid.T) {
		of, all := version.Draw(t, "of"), versions(rapid.SliceOfN(version, 0, 8).Draw(t, "all")...)
		less := func(a, b string) bool {
			compared := semver.MustParse(a).Compare(semver.MustParse(b))
			return compared < 0 || compared == 0 && a < b
		}
		lower := 0
		for _, one := range all {
			if less(one.Version, of) {
				lower++
			}
			require.True(t, one.Version == of || less(one.Version, of) != less(of, one.Version))
		}
		found := Lower(of, all)
		require.Len(t, found, lower)
		for i, one := range found {
			require.True(t, less(one.Version, of))
			require.True(t, i == 0 || !less(found[i-1].Version, one.Version))
		}
	})
}

func TestPredecessors(t *testing.T) {
	version := func(operator, number string, accepted ...string) Version {
		return Version{Name: operator + "-" + number, Operator: operator, Version: number, Accepted: accepted}
	}
	lower, newest := version("op", "1.0.0", "widgets"), version("op", "2.0.0", "widgets")
	other, others := version("other", "9.0.0", "widgets"), version("some", "10.0.0", "gadgets", "widgets")
	all := []Version{newest, other, version("other", "9.1.0", "gadgets"), version("other", "9.2.0"), lower, others}
	require.Equal(t, []Version{lower, others, other}, Predecessors(version("op", "1.1.0"), "widgets", all))
	require.Equal(t, []Version{newest, lower, others, other}, Predecessors(version("op", "2.1.0"), "widgets", all))
	require.Empty(t, Predecessors(version("new", "1.0.0"), "things", all))
}
