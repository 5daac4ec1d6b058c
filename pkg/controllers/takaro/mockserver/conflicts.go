// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// conflicts records, by Takaro id, the game servers that cannot be renamed because another one of
// the domain has the name. They are retried rarely.
type conflicts struct {
	clock clock.PassiveClock

	mu   sync.Mutex
	seen map[string]time.Time
}

func newConflicts(clock clock.PassiveClock) *conflicts {
	return &conflicts{clock: clock, seen: map[string]time.Time{}}
}

// due reports whether to try a rename.
func (c *conflicts) due(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, known := c.seen[id]
	return !known || c.clock.Since(last) >= problem.ForeignWait
}

// add records a conflict and reports whether it is new.
func (c *conflicts) add(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.seen[id]
	c.seen[id] = c.clock.Now()
	return !known
}

func (c *conflicts) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, id)
}
