// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func names(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("team/%04d", i))
	}
	return names
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		affected, of, share int
		held                bool
	}{
		"floor":                 {3, 3, 10, false},
		"above the floor":       {4, 4, 10, true},
		"exactly the share":     {10, 100, 10, false},
		"above the share":       {11, 100, 10, true},
		"share of a large set":  {70, 700, 10, false},
		"nothing is known":      {4, 0, 10, true},
		"none":                  {0, 0, 10, false},
		"half of the servers":   {50, 100, 50, false},
		"most of the servers":   {51, 100, 50, true},
		"a quarter of previews": {5, 20, 25, false},
	} {
		t.Run(name, func(t *testing.T) {
			held, token := Judge(names(c.affected), c.of, c.share, nil)
			require.Equal(t, c.held, len(held) > 0)
			require.Equal(t, c.held, token != "")
			if c.held {
				require.Regexp(t, fmt.Sprintf("^%d-[0-9a-f]{6}$", c.affected), token)
			}
		})
	}
}

func TestJudge_ReleaseCoversOnlySeenNames(t *testing.T) {
	held, token := Judge(names(20), 100, 10, nil)
	released := Release(nil, names(20), held)
	held, _ = Judge(names(20), 100, 10, released)
	require.Empty(t, held)

	held, other := Judge(names(40), 100, 10, released)
	require.Len(t, held, 20)
	require.Equal(t, "team/0020", held[0])
	require.NotEqual(t, token, other)

	require.Equal(t, held, Release(released, names(40)[20:], held), "what is no longer affected needs a new release")
	require.Len(t, Release(nil, names(1200), names(1200)), MaxReleased)
}

func TestToken(t *testing.T) {
	require.Empty(t, Token(nil))
	require.Empty(t, Token(Unreleased(names(2), names(3))))
	require.Regexp(t, "^1-[0-9a-f]{6}$", Token(names(1)), "a hold without floor has a token too")
	require.Equal(t, []string{"a", "c"}, Unreleased([]string{"c", "b", "a", "c"}, []string{"b"}))
}

func TestJudge_TokenDependsOnNamesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		affected := rapid.SliceOfN(rapid.StringMatching(`[a-c]{1,2}/[a-c]{1,2}`), 0, 30).Draw(t, "affected")
		of, share := rapid.IntRange(0, 300).Draw(t, "of"), rapid.SampledFrom([]int{10, 25, 50}).Draw(t, "share")
		held, token := Judge(affected, of, share, nil)
		again, same := Judge(rapid.Permutation(affected).Draw(t, "order"), of, share, nil)
		require.Equal(t, held, again)
		require.Equal(t, token, same)
		if len(held) > 0 {
			require.Greater(t, len(held), HoldFloor)
			require.Greater(t, len(held)*100, share*of)
			rest, _ := Judge(affected, of, share, Release(nil, affected, held))
			require.Empty(t, rest)
		}
	})
}
