// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spot is a place of an endpoint.
type spot struct {
	endpoint string
	n        int
}

// record is a loop that records what it compares. The group is the duration of the comparison.
type record struct {
	Loop[string, spot, time.Duration]
	mu       sync.Mutex
	compared map[spot]int
	rounds   int
	ended    []time.Duration
}

func newRecord(groups map[spot]time.Duration) *record {
	r := &record{compared: map[spot]int{}}
	r.Loop = Loop[string, spot, time.Duration]{
		Period: time.Minute,
		Groups: func(context.Context) (map[spot]time.Duration, error) {
			r.rounds++
			return maps.Clone(groups), nil
		},
		EndpointOf: func(place spot) string { return place.endpoint },
		Compare: func(ctx context.Context, place spot, takes time.Duration) bool {
			r.mu.Lock()
			r.compared[place]++
			r.mu.Unlock()
			select {
			case <-time.After(takes):
			case <-ctx.Done():
			}
			return takes >= 0
		},
		Ended: func(_ context.Context, _ map[spot]time.Duration, took time.Duration) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ended = append(r.ended, took)
		},
	}
	return r
}

// runFor runs the loop for the given duration.
func (r *record) runFor(t *testing.T, limit time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r.Run(ctx)
}

// An endpoint that never responds does not delay the others, and its comparison is canceled.
func TestSlowEndpointDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, quick := spot{"slow", 0}, spot{"quick", 0}
		r := newRecord(map[spot]time.Duration{slow: 24 * time.Hour, quick: time.Second})
		r.runFor(t, time.Hour)
		assert.GreaterOrEqual(t, r.rounds, 50)
		assert.Equal(t, r.rounds, r.compared[quick], "in each round")
		assert.InDelta(t, r.rounds/2, r.compared[slow], 5, "given up after 90 seconds, so in every other round")
		assert.LessOrEqual(t, slices.Max(r.ended), Limit)
	})
}

// A place that never responds does not prevent the comparison of the other places of its endpoint.
func TestNextRoundBeginsWhereTheLastEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		groups := map[spot]time.Duration{{"one", 0}: 24 * time.Hour}
		for n := 1; n < 100; n++ {
			groups[spot{"one", n}] = 5 * time.Second // 18 fit in a round
		}
		r := newRecord(groups)
		r.runFor(t, time.Hour)
		for place := range groups {
			assert.Positive(t, r.compared[place], "%v", place)
		}
		assert.LessOrEqual(t, r.compared[spot{"one", 0}], 5)
	})
}

func TestEndpointThatCannotBeAskedIsLeft(t *testing.T) {
	r := newRecord(map[spot]time.Duration{{"refuses", 0}: -1, {"refuses", 1}: -1, {"answers", 0}: 0, {"answers", 1}: 0})
	r.Once(t.Context())
	assert.Equal(t, 1, r.compared[spot{"refuses", 0}]+r.compared[spot{"refuses", 1}])
	assert.Equal(t, 2, r.compared[spot{"answers", 0}]+r.compared[spot{"answers", 1}])
	r.Once(t.Context())
	assert.Equal(t, 1, r.compared[spot{"refuses", 0}], "each in its turn")
	assert.Equal(t, 1, r.compared[spot{"refuses", 1}])
	require.Len(t, r.ended, 2)
}

func TestPlacesThatNobodyUsesAreForgotten(t *testing.T) {
	groups := map[spot]time.Duration{{"a", 0}: 0, {"b", 0}: 0}
	r := newRecord(groups)
	var begun []int
	r.Begun = func(places map[spot]bool) { begun = append(begun, len(places)) }
	r.Once(t.Context())
	delete(groups, spot{"b", 0})
	r.Once(t.Context())
	assert.Len(t, r.Loop.compared, 1)
	assert.Equal(t, []int{2, 1}, begun)
}

func TestRoundWithoutGroupsIsSkipped(t *testing.T) {
	r := newRecord(nil)
	r.Groups = func(context.Context) (map[spot]time.Duration, error) {
		return nil, errors.New("the cache is not ready")
	}
	r.Once(t.Context())
	assert.Empty(t, r.ended)
}
