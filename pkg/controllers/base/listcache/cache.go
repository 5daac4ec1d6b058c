// SPDX-License-Identifier: Apache-2.0

// Package listcache holds one list of each place outside, however many objects are compared with it. What this process writes
// there counts against a list that was begun before.
package listcache

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
)

// List is a complete list, or why there is none.
type List[R any] struct {
	// Taken is when the list was begun.
	Taken time.Time
	// Rows are read with Cache.Read, since later writes change them.
	Rows R
	Err  error
}

// Cache holds the lists of places K. V is what a row is, and R holds the rows of a list.
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

// New returns a Cache without lists. apply sets the row with an id, or removes it if it is nil. It may be nil if no writes are noted.
func New[K comparable, V, R any](clock clock.PassiveClock, apply func(rows R, id string, row *V)) *Cache[K, V, R] {
	return &Cache[K, V, R]{clock: clock, apply: apply, lists: map[K]*List[R]{}, writes: map[K]map[string]write[V]{}}
}

// Last returns the last list of a place, nil if there is none.
func (c *Cache[K, V, R]) Last(at K) *List[R] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[at]
}

// Read calls read while no row changes.
func (c *Cache[K, V, R]) Read(list *List[R], read func(rows R)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read(list.Rows)
}

// Refresh reads a list. Callers at the same time share one.
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

// Fresh returns a list that was begun after the call: one that others are reading may have been begun before.
func (c *Cache[K, V, R]) Fresh(ctx context.Context, at K, search func(context.Context) (R, error)) (*List[R], error) {
	called := c.clock.Now()
	for {
		list, err := c.Refresh(ctx, at, search)
		if err != nil || !list.Taken.Before(called) {
			return list, err
		}
	}
}

// Younger returns a list that is younger than age: the last one if it is, else one that was begun after the call.
func (c *Cache[K, V, R]) Younger(
	ctx context.Context, at K, age time.Duration, search func(context.Context) (R, error),
) (*List[R], error) {
	if last := c.Last(at); last != nil && c.clock.Since(last.Taken) < age {
		return last, nil
	}
	return c.Fresh(ctx, at, search)
}

// Install sets the last list of a place, with what was written since it was begun.
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

// Put notes a row that the answer to a request contained.
func (c *Cache[K, V, R]) Put(at K, id string, row V) { c.wrote(at, id, &row) }

// Remove notes that a row was deleted.
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

// Forget removes what is known of a place.
func (c *Cache[K, V, R]) Forget(at K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.lists, at)
	delete(c.writes, at)
}

// Retain removes what is known of the places that are not used any more.
func (c *Cache[K, V, R]) Retain(used map[K]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.lists, func(at K, _ *List[R]) bool { return !used[at] })
	maps.DeleteFunc(c.writes, func(at K, _ map[string]write[V]) bool { return !used[at] })
}
