// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// dated returns one entry for each word, a name and the minute at which it was affected.
func dated(t *testing.T, words string) []Dated {
	t.Helper()
	var all []Dated
	for word := range strings.FieldsSeq(words) {
		name, minute, _ := strings.Cut(word, "@")
		after, err := time.ParseDuration(minute + "m")
		require.NoError(t, err)
		all = append(all, Dated{Name: name, At: testNow.Add(after)})
	}
	return all
}

func TestHeldWithin(t *testing.T) {
	for name, c := range map[string]struct {
		affected, released string
		of                 int
		held               string
	}{
		"none":                         {"", "", 50, ""},
		"floor":                        {"a@0 b@0 c@0", "", 3, ""},
		"above the floor":              {"d@3 a@0 c@2 b@1", "", 4, "a b c d"},
		"the share":                    {"a@0 b@0 c@0 d@0", "", 40, ""},
		"above the share":              {"a@0 b@0 c@0 d@0", "", 39, "a b c d"},
		"a name counts once":           {"a@0 a@1 a@2 b@3 c@4", "", 4, ""},
		"as long as the window":        {"a@0 b@0 c@0 d@10", "", 4, "a b c d"},
		"longer than the window":       {"a@0 b@0 c@0 d@10.1", "", 4, ""},
		"a window in between":          {"a@0 b@5 c@11 d@12 e@13 f@30", "", 6, "b c d e"},
		"two windows":                  {"a@0 b@1 c@2 d@3 e@40 f@41 g@42 h@43 i@60", "", 9, "a b c d e f g h"},
		"a name leaves the window":     {"a@0 b@1 c@9 d@11", "", 4, ""},
		"a name with a later time too": {"a@0 a@11 b@11 c@12 d@12", "", 4, "a b c d"},
		"released":                     {"a@0 b@0 c@0 d@0 e@0", "a b", 5, ""},
		"more than was released":       {"a@0 b@0 c@0 d@0 e@0 f@0", "a b", 6, "c d e f"},
	} {
		t.Run(name, func(t *testing.T) {
			held := HeldWithin(dated(t, c.affected), 10*time.Minute, c.of, 10, strings.Fields(c.released))
			require.Equal(t, c.held, strings.Join(held, " "))
		})
	}
}

// heldBySearch implements HeldWithin by checking one window after the other.
func heldBySearch(affected []Dated, window time.Duration, of, share int, released []string) []string {
	var held []string
	for _, first := range affected {
		var within []string
		for _, one := range affected {
			if since := one.At.Sub(first.At); since >= 0 && since <= window {
				within = append(within, one.Name)
			}
		}
		more, _ := Judge(within, of, share, released)
		held = append(held, more...)
	}
	slices.Sort(held)
	return slices.Compact(held)
}

func TestHeldWithin_IsJudgeOfEachWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		affected := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Dated {
			return Dated{
				Name: fmt.Sprint(rapid.IntRange(0, 20).Draw(t, "name")),
				At:   testNow.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "minute")) * time.Minute),
			}
		}), 0, 40).Draw(t, "affected")
		released := rapid.SliceOfN(rapid.StringMatching(`[0-9]`), 0, 5).Draw(t, "released")
		of := rapid.IntRange(0, 80).Draw(t, "of")
		require.Equal(t, heldBySearch(affected, 10*time.Minute, of, 10, released),
			HeldWithin(affected, 10*time.Minute, of, 10, released))
	})
}
