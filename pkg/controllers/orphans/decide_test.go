// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// minutes returns the time n minutes after begin.
func minutes(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

func TestDecide(t *testing.T) {
	seen := func(n int) map[string]time.Time { return map[string]time.Time{"a": minutes(n)} }
	none, one := []string(nil), []string{"a"}
	for name, c := range map[string]struct {
		before                    map[string]time.Time
		look                      look
		deleted, unseen, notAlive []string
		after                     map[string]time.Time
	}{
		"first seen absent":        {nil, look{absent, minutes(0), true}, none, none, none, seen(0)},
		"too soon":                 {seen(0), look{absent, minutes(4), true}, none, none, none, seen(0)},
		"long enough":              {seen(0), look{absent, minutes(5), true}, one, none, none, seen(0)},
		"end not seen":             {seen(0), look{absent, minutes(5), false}, none, one, one, seen(0)},
		"end not seen, too soon":   {nil, look{absent, minutes(5), false}, none, none, one, seen(5)},
		"exists again":             {seen(0), look{alive, minutes(9), false}, none, none, none, map[string]time.Time{}},
		"alive":                    {nil, look{alive, minutes(9), false}, none, none, none, map[string]time.Time{}},
		"is being deleted":         {nil, look{alive, minutes(9), true}, none, none, none, map[string]time.Time{}},
		"the read failed":          {nil, look{unknown, minutes(9), false}, none, none, one, map[string]time.Time{}},
		"the second read failed":   {seen(0), look{unknown, minutes(9), true}, none, none, none, seen(0)},
		"a clock that went back":   {seen(9), look{absent, minutes(0), true}, none, none, none, seen(9)},
		"unseen, the read failed":  {seen(0), look{unknown, minutes(9), false}, none, none, one, seen(0)},
		"unseen, clock went back":  {seen(9), look{absent, minutes(0), false}, none, none, one, seen(9)},
		"unseen, long after alive": {nil, look{absent, minutes(99), false}, none, none, one, seen(99)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, verdict{c.deleted, c.unseen, c.notAlive, c.after}, decide(5*time.Minute, c.before, map[string]look{"a": c.look}))
		})
	}
	require.Empty(t, decide(time.Minute, seen(0), nil).firstAbsent, "what holds nothing any more is forgotten")
}

// TestDecide_ReleasesOnlyWhatWasShown generates random sequences of namespaces that appear and
// disappear, failing reads, and releases. Objects may be deleted only if the deletion of the
// namespace was observed, or after a release of a hold that had announced it.
func TestDecide_ReleasesOnlyWhatWasShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wait := time.Duration(rapid.IntRange(1, 10).Draw(t, "wait")) * time.Minute
		now, firstAbsent := begin, map[string]time.Time{}
		lastAlive, absences, released := map[string]time.Time{}, map[string]time.Time{}, map[string]bool{}
		hold, unseen := holdOf(record(testCluster)), []string(nil)
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			now = now.Add(time.Duration(rapid.IntRange(1, 8).Draw(t, "minutes")) * time.Minute)
			looks := map[string]look{}
			for i := range rapid.IntRange(0, 20).Draw(t, "namespaces") {
				name := fmt.Sprintf("n%02d", i)
				looks[name] = look{presence(rapid.IntRange(int(unknown), int(absent)).Draw(t, name)), now, rapid.Bool().Draw(t, "seen")}
			}
			v := decide(wait, firstAbsent, looks)
			firstAbsent = v.firstAbsent
			release := rapid.SampledFrom([]string{"", "1-abcdef", hold.Token}).Draw(t, "release")
			next, accepted := judge(hold, v, release)
			require.False(t, accepted && release != hold.Token, "only what was announced is released")
			for name, look := range looks {
				switch look.presence {
				case alive:
					lastAlive[name], released[name] = now, false
					delete(absences, name)
				case absent:
					if _, before := absences[name]; !before {
						absences[name] = now
					}
				}
			}
			if accepted {
				for _, name := range unseen {
					released[name] = true
				}
			}
			all, _ := due(v, next)
			require.Equal(t, len(v.unseen)+len(v.deleted), len(all)+int(next.Held), "due or held")
			for _, name := range all {
				require.Equal(t, absent, looks[name].presence, "the last look")
				require.True(t, looks[name].deleted || released[name], "%s: evidence or release", name)
				require.GreaterOrEqual(t, now.Sub(absences[name]), wait)
				if seen, ever := lastAlive[name]; ever {
					require.GreaterOrEqual(t, now.Sub(seen), wait)
				}
			}
			hold, unseen = next, v.unseen
		}
	})
}
