// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// minutes is a moment so long after begin.
func minutes(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

// many gives the same for n namespaces.
func many[T any](n int, value T) map[string]T {
	all := map[string]T{}
	for i := range n {
		all[fmt.Sprintf("n%03d", i)] = value
	}
	return all
}

func TestWhatIsDue(t *testing.T) {
	careful := policy{wait: 5 * time.Minute}
	seen := func(n int) map[string]time.Time { return map[string]time.Time{"a": minutes(n)} }
	cases := []struct {
		name   string
		before map[string]time.Time
		look   look
		due    bool
		after  map[string]time.Time
	}{
		{"first seen absent", nil, look{absent, minutes(0)}, false, seen(0)},
		{"too soon", seen(0), look{absent, minutes(4)}, false, seen(0)},
		{"twice, long enough apart", seen(0), look{absent, minutes(5)}, true, seen(0)},
		{"came back", seen(0), look{alive, minutes(9)}, false, map[string]time.Time{}},
		{"alive", nil, look{alive, minutes(9)}, false, map[string]time.Time{}},
		{"the look failed", nil, look{unknown, minutes(9)}, false, map[string]time.Time{}},
		{"the second look failed", seen(0), look{unknown, minutes(9)}, false, seen(0)},
		{"a clock that went back", seen(9), look{absent, minutes(0)}, false, seen(9)},
	}
	for _, c := range cases {
		got := careful.decide(c.before, map[string]look{"a": c.look}, 1)
		assert.Equal(t, c.due, len(got.due) == 1, c.name)
		assert.Equal(t, c.after, got.firstAbsent, c.name)
		assert.Zero(t, got.held, c.name)
	}
	assert.Empty(t, careful.decide(seen(0), nil, 0).firstAbsent, "what holds nothing any more is forgotten")
}

func TestHowManyMayGoAtOnce(t *testing.T) {
	cases := []struct{ gone, holding, allowed, due, held int }{
		{10, 10, 0, 10, 0},
		{11, 11, 0, 0, 11},
		{11, 109, 0, 0, 11},
		{11, 110, 0, 11, 0},
		{100, 1000, 0, 100, 0},
		{101, 1000, 0, 0, 101},
		{15, 15, 14, 0, 15},
		{15, 15, 15, 15, 0},
		{10, 10, 3, 10, 0},
	}
	for _, c := range cases {
		got := policy{wait: time.Minute, allowed: c.allowed}.decide(many(c.gone, minutes(0)), many(c.gone, look{absent, minutes(1)}), c.holding)
		assert.Len(t, got.due, c.due, "%+v", c)
		assert.Equal(t, c.held, got.held, "%+v", c)
		assert.Len(t, got.firstAbsent, c.gone, "what is held is not forgotten: %+v", c)
	}
	looks := many(9, look{absent, minutes(1)})
	looks["x"], looks["y"] = look{absent, minutes(1)}, look{absent, minutes(1)}
	got := policy{wait: time.Minute}.decide(many(9, minutes(0)), looks, 11)
	assert.Equal(t, 11, got.held, "those that are not due yet count too")
}

// TestNothingIsEverSweptTooEarlyOrTooMuch lets namespaces come and go, and looks fail, at random.
func TestNothingIsEverSweptTooEarlyOrTooMuch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		careful := policy{
			wait:    time.Duration(rapid.IntRange(1, 10).Draw(t, "wait")) * time.Minute,
			allowed: rapid.IntRange(0, 30).Draw(t, "allowed"),
		}
		now, firstAbsent := begin, map[string]time.Time{}
		lastAlive, absences := map[string]time.Time{}, map[string][]time.Time{}
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			now = now.Add(time.Duration(rapid.IntRange(1, 8).Draw(t, "minutes")) * time.Minute)
			looks := map[string]look{}
			for namespace := range many(rapid.IntRange(0, 40).Draw(t, "namespaces"), 0) {
				looks[namespace] = look{presence(rapid.IntRange(int(unknown), int(absent)).Draw(t, namespace)), now}
			}
			holding := len(looks) + rapid.IntRange(0, 200).Draw(t, "others")
			got := careful.decide(firstAbsent, looks, holding)
			firstAbsent = got.firstAbsent
			gone := 0
			for namespace, look := range looks {
				switch look.presence {
				case alive:
					lastAlive[namespace], absences[namespace] = now, nil
				case absent:
					absences[namespace] = append(absences[namespace], now)
					gone++
				}
			}
			limit := max(10, holding/10, careful.allowed)
			assert.LessOrEqual(t, len(got.due), limit)
			assert.Equal(t, gone > limit, got.held > 0, "held says when there are too many")
			assert.False(t, got.held > 0 && len(got.due) > 0, "either held or swept")
			for _, namespace := range got.due {
				assert.Equal(t, look{absent, now}, looks[namespace], "the last look")
				if seen, ever := lastAlive[namespace]; ever {
					assert.GreaterOrEqual(t, now.Sub(seen), careful.wait)
				}
				assert.GreaterOrEqual(t, now.Sub(absences[namespace][0]), careful.wait, "seen absent twice, long enough apart, and never alive in between")
			}
		}
	})
}
