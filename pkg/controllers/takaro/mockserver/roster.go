// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// place is a domain of an endpoint.
type place struct {
	endpoint endpoint.Key
	domainID string
}

// roster knows the game servers of Takaro domains by one list each, however many MockServers there are.
type roster struct {
	clock clock.PassiveClock

	mu      sync.Mutex
	lists   map[place]*snapshot
	flights flight.Group[place, *snapshot]
}

// snapshot is a list of game servers, begun at the time taken. It is never changed.
type snapshot struct {
	taken   time.Time
	servers []takaro.GameServer
	// rows and total are how many were received and how many Takaro counts.
	rows, total int
}

func newRoster(clock clock.PassiveClock) *roster {
	return &roster{clock: clock, lists: map[place]*snapshot{}}
}

// list returns the game servers of a domain by a list that is younger than age; 0 means one that is begun now.
func (r *roster) list(ctx context.Context, at place, client *takaro.Client, age time.Duration) (*snapshot, error) {
	r.mu.Lock()
	last := r.lists[at]
	r.mu.Unlock()
	if last != nil && age > 0 && r.clock.Since(last.taken) < age {
		return last, nil
	}
	since := r.clock.Now()
	for {
		taken, err := r.refresh(ctx, at, client)
		if err != nil {
			return nil, err
		}
		if !taken.taken.Before(since) { // one that others were taking may have been begun before
			return taken, nil
		}
	}
}

// refresh takes a list. Callers at the same time share one.
func (r *roster) refresh(ctx context.Context, at place, client *takaro.Client) (*snapshot, error) {
	return r.flights.Do(ctx, at, func(ctx context.Context) (*snapshot, error) {
		list := &snapshot{taken: r.clock.Now()}
		var err error
		if list.servers, err = client.SearchGameServers(ctx, at.domainID); err != nil {
			return nil, err
		}
		list.rows, list.total = len(list.servers), len(list.servers)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lists[at] = list
		return list, nil
	})
}

// forget makes the next question a new list: what is known was overtaken by a change of ours.
func (r *roster) forget(at place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lists, at)
}

// retain forgets the domains that nobody asks about any more.
func (r *roster) retain(used map[place]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := range r.lists {
		if !used[at] {
			delete(r.lists, at)
		}
	}
}
