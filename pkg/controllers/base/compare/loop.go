// SPDX-License-Identifier: Apache-2.0

// Package compare periodically compares the recorded state in the cluster with the state of outside
// systems. The comparison of an endpoint that responds too slowly is canceled after Limit, and does
// not delay other endpoints.
package compare

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Limit is the maximum duration of the comparison with one endpoint in one round.
const Limit = 90 * time.Second

// jitter is the maximum fraction of the period by which the start of a round is delayed.
const jitter = 0.2

// Loop compares places in rounds. The places of an endpoint are compared sequentially, and all
// endpoints in parallel. An endpoint whose previous comparison is still running when a round starts
// is skipped in that round. If a round ends before all places of an endpoint were compared, the
// next round starts with the remaining ones.
type Loop[E, P comparable, G any] struct {
	// Period is the time between the starts of two rounds. The actual time is up to 20 % longer.
	Period time.Duration
	// Groups returns what to compare at each place.
	Groups func(context.Context) (map[P]G, error)
	// EndpointOf returns the endpoint of a place.
	EndpointOf func(P) E
	// Compare compares the group at one place. It reports whether the other places of the endpoint
	// can be compared in this round.
	Compare func(context.Context, P, G) bool
	// Begun is called with all places of a round before they are compared. Optional.
	Begun func(places map[P]bool)
	// Ended is called with the duration of the round after all its comparisons have ended. Two
	// rounds may end at the same time. Optional.
	Ended func(context.Context, map[P]G, time.Duration)

	mu      sync.Mutex
	running map[E]bool
	// compared holds the sequence number of the last comparison of each place.
	compared map[P]uint64
	count    uint64
}

// Run compares until ctx is canceled, and returns when all comparisons have ended.
func (l *Loop[E, P, G]) Run(ctx context.Context) {
	var rounds sync.WaitGroup
	wait.JitterUntilWithContext(ctx, func(ctx context.Context) { l.begin(ctx, &rounds) }, l.Period, jitter, false)
	rounds.Wait()
}

// Once runs one round, and returns when it has ended.
func (l *Loop[E, P, G]) Once(ctx context.Context) {
	var round sync.WaitGroup
	l.begin(ctx, &round)
	round.Wait()
}

// begin starts a round, which ends in the background.
func (l *Loop[E, P, G]) begin(ctx context.Context, rounds *sync.WaitGroup) {
	began := time.Now()
	groups, err := l.Groups(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "Collecting what to compare failed. The next comparison is in a period", "period", l.Period)
		return
	}
	if l.Begun != nil {
		places := make(map[P]bool, len(groups))
		for place := range groups {
			places[place] = true
		}
		l.Begun(places)
	}
	endpoints := l.take(groups)
	rounds.Go(func() {
		var all sync.WaitGroup
		for endpoint, places := range endpoints {
			all.Go(func() {
				defer l.leave(endpoint)
				l.compareAll(ctx, places, groups)
			})
		}
		all.Wait()
		if l.Ended != nil {
			l.Ended(ctx, groups, time.Since(began))
		}
	})
}

// take returns the places of the endpoints that are not being compared, and marks these endpoints
// as being compared. The places that were compared most recently are last.
func (l *Loop[E, P, G]) take(groups map[P]G) map[E][]P {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken, compared := map[E][]P{}, map[P]uint64{}
	for place := range groups {
		if last, known := l.compared[place]; known {
			compared[place] = last
		}
		if endpoint := l.EndpointOf(place); !l.running[endpoint] {
			taken[endpoint] = append(taken[endpoint], place)
		}
	}
	l.compared = compared
	if l.running == nil {
		l.running = map[E]bool{}
	}
	for endpoint, places := range taken {
		l.running[endpoint] = true
		slices.SortFunc(places, func(a, b P) int { return cmp.Compare(compared[a], compared[b]) })
	}
	return taken
}

func (l *Loop[E, P, G]) leave(endpoint E) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, endpoint)
}

// compareAll compares as many places of one endpoint as Limit allows.
func (l *Loop[E, P, G]) compareAll(ctx context.Context, places []P, groups map[P]G) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	for _, place := range places {
		if ctx.Err() != nil {
			return
		}
		l.note(place) // also after a failure, so that the other places of the endpoint are next
		if !l.Compare(ctx, place, groups[place]) {
			return
		}
	}
}

func (l *Loop[E, P, G]) note(place P) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	l.compared[place] = l.count
}
