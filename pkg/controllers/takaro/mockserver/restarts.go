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
// tried to be ended. What another process counted is taken up from what is recorded; see resume.
type restarts struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	seen  map[types.UID]map[int]*outage
	limit time.Duration
}

// outage is one game server that is not reached.
type outage struct {
	pod   types.UID
	since time.Time
	// tries is how many pods were restarted in vain.
	tries int
}

func newRestarts(clock clock.PassiveClock, limit time.Duration) *restarts {
	return &restarts{clock: clock, limit: limit, seen: map[types.UID]map[int]*outage{}}
}

// remaining returns how much longer the game server of a pod may be unreachable; the first call for a pod begins to count.
// Each restart that did not help doubles the patience. lost is since when the status has told of it, zero when it does not.
func (r *restarts) remaining(server types.UID, ordinal int, p pod, lost time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[server] == nil {
		r.seen[server] = map[int]*outage{}
	}
	known := r.seen[server][ordinal]
	if known == nil {
		known = &outage{}
		if !lost.IsZero() {
			known = r.resume(p, lost)
		}
		r.seen[server][ordinal] = known
	}
	if known.pod != p.uid {
		known.pod, known.since = p.uid, r.clock.Now()
	}
	patience := r.limit
	for n := 0; n < known.tries && patience < mostPatience; n++ {
		patience *= 2
	}
	return max(0, min(patience, max(mostPatience, r.limit))-r.clock.Since(known.since))
}

// resume counts as a process did that has ended: a pod has been unreachable since the game server was lost or the pod was
// started, whichever is later, and the time from the loss until the pod was made tells how many were restarted in vain.
func (r *restarts) resume(p pod, lost time.Time) *outage {
	resumed := &outage{pod: p.uid, since: lost}
	for _, later := range []time.Time{p.made, p.started} {
		if later.After(resumed.since) {
			resumed.since = later
		}
	}
	for patience, left := r.limit, p.made.Sub(lost); left >= patience && patience < mostPatience; patience *= 2 {
		left -= patience
		resumed.tries++
	}
	return resumed
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
