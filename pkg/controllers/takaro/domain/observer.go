// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// snapshotLife is how long a list is believed. It is taken anew every minute, so an older one means trouble.
const snapshotLife = 3 * time.Minute

const (
	// refusedLife is how long a refused token is not tried again. Its Domains wait longer at first (problem.RefusedWait), so that
	// each endpoint gets one request, and both together less than a minute.
	refusedLife = 20 * time.Second
	// tooLargeLife is how long a list that was too large is not read again, which costs the most.
	tooLargeLife = time.Minute
	failedLife   = time.Second
)

// observer knows Takaro's domains by one list per endpoint, however many Domains there are.
type observer struct {
	clock clock.PassiveClock

	mu        sync.Mutex
	snapshots map[endpoint.Key]*snapshot
	writes    map[endpoint.Key]map[string]write
	flights   flight.Group[endpoint.Key, *snapshot]
}

// write is what Takaro answered to a write of this process; record is nil if the domain was deleted. It counts against a list
// that was begun before it.
type write struct {
	at     time.Time
	record *takaro.Domain
}

type snapshot struct {
	taken   time.Time
	records map[string]takaro.Domain
	err     error
}

// life is how long the list is believed. A refused token is not tried again for each of its Domains. That a circuit is
// open costs no request and may be over at once.
func (s *snapshot) life() time.Duration {
	switch {
	case s.err == nil:
		return snapshotLife
	case takaro.IsUnauthorized(s.err):
		return refusedLife
	case takaro.IsSearchTooLarge(s.err):
		return tooLargeLife
	case takaro.IsCircuitOpen(s.err):
		return 0
	default:
		return failedLife
	}
}

func newObserver(clock clock.PassiveClock) *observer {
	return &observer{clock: clock, snapshots: map[endpoint.Key]*snapshot{}, writes: map[endpoint.Key]map[string]write{}}
}

func (o *observer) find(list *snapshot, id string) (takaro.Domain, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	record, ok := list.records[id]
	return record, ok
}

// all returns the domains of a list.
func (o *observer) all(list *snapshot) []takaro.Domain {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Values(list.records))
}

// list returns the last list of an endpoint, or takes one when there is none to believe.
func (o *observer) list(ctx context.Context, key endpoint.Key, client *takaro.Client) (*snapshot, error) {
	o.mu.Lock()
	last := o.snapshots[key]
	o.mu.Unlock()
	if last != nil && o.clock.Since(last.taken) < last.life() {
		return last, last.err
	}
	return o.refresh(ctx, key, client)
}

// refusal returns the error of an endpoint that refused the token a moment ago, else nil.
func (o *observer) refusal(key endpoint.Key) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.snapshots[key]
	if last != nil && takaro.IsUnauthorized(last.err) && o.clock.Since(last.taken) < refusedLife {
		return last.err
	}
	return nil
}

// refuse notes that an endpoint refused the token.
func (o *observer) refuse(key endpoint.Key, err error) {
	o.install(key, &snapshot{taken: o.clock.Now(), records: map[string]takaro.Domain{}, err: err})
}

// fresh returns a list that was begun after the call.
func (o *observer) fresh(ctx context.Context, key endpoint.Key, client *takaro.Client) (*snapshot, error) {
	begun := o.clock.Now()
	list, err := o.refresh(ctx, key, client)
	if err == nil && list.taken.Before(begun) {
		return o.refresh(ctx, key, client)
	}
	return list, err
}

// refresh takes a list. Callers at the same time share one.
func (o *observer) refresh(ctx context.Context, key endpoint.Key, client *takaro.Client) (*snapshot, error) {
	return o.flights.Do(ctx, key, func(ctx context.Context) (*snapshot, error) {
		taken := o.clock.Now()
		domains, err := client.SearchDomains(ctx, takaro.DomainSearch{})
		list := &snapshot{taken: taken, records: make(map[string]takaro.Domain, len(domains))}
		for _, record := range domains {
			list.records[record.ID] = record
		}
		if err != nil {
			list.err = fmt.Errorf("listing domains: %w", err)
		}
		o.install(key, list)
		return list, list.err
	})
}

// install makes a list the current one, corrected by what we wrote while it was read.
func (o *observer) install(key endpoint.Key, list *snapshot) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, write := range o.writes[key] {
		if write.at.Before(list.taken) {
			delete(o.writes[key], id)
			continue
		}
		list.apply(id, write.record)
	}
	o.snapshots[key] = list
}

func (s *snapshot) apply(id string, record *takaro.Domain) {
	if record == nil {
		delete(s.records, id)
		return
	}
	s.records[id] = *record
}

// put notes what Takaro answered to a write of this process.
func (o *observer) put(key endpoint.Key, record *takaro.Domain) {
	copied := *record
	o.wrote(key, record.ID, &copied)
}

// remove notes that a domain was deleted.
func (o *observer) remove(key endpoint.Key, id string) {
	o.wrote(key, id, nil)
}

func (o *observer) wrote(key endpoint.Key, id string, record *takaro.Domain) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.writes[key] == nil {
		o.writes[key] = map[string]write{}
	}
	o.writes[key][id] = write{at: o.clock.Now(), record: record}
	if list := o.snapshots[key]; list != nil {
		list.apply(id, record)
	}
}

// retain forgets the lists of endpoints that nobody uses any more.
func (o *observer) retain(used map[endpoint.Key]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key := range o.snapshots {
		if !used[key] {
			delete(o.snapshots, key)
			delete(o.writes, key)
		}
	}
}
