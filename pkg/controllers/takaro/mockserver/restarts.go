// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// mostPatience bounds how long a pod that restarts do not help is left alone between them.
const mostPatience = 30 * time.Minute

// restarts remembers since when game servers have been unreachable though their pods are there, and how often that was
// tried to be ended.
type restarts struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	seen  map[types.UID]map[int]*absence
	limit time.Duration
}

// absence is one game server that is not reached.
type absence struct {
	pod   types.UID
	since time.Time
	// tries is how many pods were restarted in vain.
	tries int
}

func newRestarts(clock clock.PassiveClock, limit time.Duration) *restarts {
	return &restarts{clock: clock, limit: limit, seen: map[types.UID]map[int]*absence{}}
}

// remaining returns how much longer the game server of a pod may be unreachable; the first call for a pod begins to count.
// Each restart that did not help doubles the patience.
func (r *restarts) remaining(server types.UID, ordinal int, pod types.UID) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[server] == nil {
		r.seen[server] = map[int]*absence{}
	}
	known := r.seen[server][ordinal]
	if known == nil {
		known = &absence{}
		r.seen[server][ordinal] = known
	}
	if known.pod != pod {
		known.pod, known.since = pod, r.clock.Now()
	}
	patience := r.limit
	for n := 0; n < known.tries && patience < mostPatience; n++ {
		patience *= 2
	}
	return max(0, min(patience, max(mostPatience, r.limit))-r.clock.Since(known.since))
}

// restarted notes that a pod was restarted.
func (r *restarts) restarted(server types.UID, ordinal int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.seen[server][ordinal]; known != nil {
		known.tries++
	}
}

// reached notes that Takaro reaches a game server, or that there is no pod that could be restarted.
func (r *restarts) reached(server types.UID, ordinal int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen[server], ordinal)
}

// forget drops what is known of a MockServer.
func (r *restarts) forget(server types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, server)
}
