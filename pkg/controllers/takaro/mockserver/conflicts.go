// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// conflicts remembers which game servers cannot have their name since another of the domain has it, by Takaro id. They are
// tried again rarely.
type conflicts struct {
	clock clock.PassiveClock

	mu   sync.Mutex
	seen map[string]time.Time
}

func newConflicts(clock clock.PassiveClock) *conflicts {
	return &conflicts{clock: clock, seen: map[string]time.Time{}}
}

// due tells whether a rename is worth a try.
func (c *conflicts) due(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, known := c.seen[id]
	return !known || c.clock.Since(last) >= problem.ForeignWait
}

// add notes a conflict and tells whether it is a new one.
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
