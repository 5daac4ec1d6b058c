// SPDX-License-Identifier: Apache-2.0

// Package listcache caches one list per place in an outside system, regardless of how many objects
// are compared with it. Writes of this process are applied to lists that were started before the
// write.
package listcache

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
)

// List is a complete list, or the error that prevented it.
type List[R any] struct {
	// Taken is when the list was started.
	Taken time.Time
	// Rows must be read with Cache.Read, since later writes change them.
	Rows R
	Err  error
}

// Cache caches the lists of places of type K. V is the type of a row, and R holds the rows of a
// list.
type Cache[K comparable, V, R any] struct {
	clock clock.PassiveClock
	apply func(rows R, id string, row *V)

	mu      sync.Mutex
	lists   map[K]*List[R]
	writes  map[K]map[string]write[V]
	flights flight.Group[K, *List[R]]
}

// write is the row after a request, nil if it was deleted.
type write[V any] struct {
	at  time.Time
	row *V
}

// New returns a Cache without lists. apply sets the row with an id, or removes it if the row is
// nil. apply may be nil if no writes are recorded.
func New[K comparable, V, R any](clock clock.PassiveClock, apply func(rows R, id string, row *V)) *Cache[K, V, R] {
	return &Cache[K, V, R]{clock: clock, apply: apply, lists: map[K]*List[R]{}, writes: map[K]map[string]write[V]{}}
}

// Last returns the last list of a place, or nil if there is none.
func (c *Cache[K, V, R]) Last(at K) *List[R] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[at]
}

// Read calls read while no row can change.
func (c *Cache[K, V, R]) Read(list *List[R], read func(rows R)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read(list.Rows)
}

// Refresh reads a list. Concurrent callers share one request.
func (c *Cache[K, V, R]) Refresh(ctx context.Context, at K, search func(context.Context) (R, error)) (*List[R], error) {
	return c.flights.Do(ctx, at, func(ctx context.Context) (*List[R], error) {
		taken := c.clock.Now()
		rows, err := search(ctx)
		if err != nil {
			return nil, err
		}
		list := &List[R]{Taken: taken, Rows: rows}
		c.Install(at, list)
		return list, nil
	})
}

// Fresh returns a list that was started after the call. It does not join a request in flight, which
// may have been started before.
func (c *Cache[K, V, R]) Fresh(ctx context.Context, at K, search func(context.Context) (R, error)) (*List[R], error) {
	called := c.clock.Now()
	for {
		list, err := c.Refresh(ctx, at, search)
		if err != nil || !list.Taken.Before(called) {
			return list, err
		}
	}
}

// Younger returns the last list if it is younger than age, and a list that was started after the
// call otherwise.
func (c *Cache[K, V, R]) Younger(
	ctx context.Context, at K, age time.Duration, search func(context.Context) (R, error),
) (*List[R], error) {
	if last := c.Last(at); last != nil && c.clock.Since(last.Taken) < age {
		return last, nil
	}
	return c.Fresh(ctx, at, search)
}

// Install sets the last list of a place, and applies the writes since it was started.
func (c *Cache[K, V, R]) Install(at K, list *List[R]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, write := range c.writes[at] {
		if write.at.Before(list.Taken) {
			delete(c.writes[at], id)
			continue
		}
		c.apply(list.Rows, id, write.row)
	}
	c.lists[at] = list
}

// Put records a row that the response to a request contained.
func (c *Cache[K, V, R]) Put(at K, id string, row V) { c.wrote(at, id, &row) }

// Remove records that a row was deleted.
func (c *Cache[K, V, R]) Remove(at K, id string) { c.wrote(at, id, nil) }

func (c *Cache[K, V, R]) wrote(at K, id string, row *V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writes[at] == nil {
		c.writes[at] = map[string]write[V]{}
	}
	c.writes[at][id] = write[V]{at: c.clock.Now(), row: row}
	if list := c.lists[at]; list != nil {
		c.apply(list.Rows, id, row)
	}
}

// Forget removes everything that is cached for a place.
func (c *Cache[K, V, R]) Forget(at K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.lists, at)
	delete(c.writes, at)
}

// Retain removes everything that is cached for places that are no longer used.
func (c *Cache[K, V, R]) Retain(used map[K]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.lists, func(at K, _ *List[R]) bool { return !used[at] })
	maps.DeleteFunc(c.writes, func(at K, _ map[string]write[V]) bool { return !used[at] })
}
