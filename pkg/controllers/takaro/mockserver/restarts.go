// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// mostPatience is the maximum time between restarts of a pod that do not help.
const mostPatience = 30 * time.Minute

// restarts records since when game servers with existing pods have been unreachable, and how often
// a restart did not help. The state of an earlier process is derived from the status; see resume.
type restarts struct {
	clock clock.PassiveClock

	mu    sync.Mutex
	seen  map[types.UID]map[int]*outage
	limit time.Duration
}

// outage describes an unreachable game server.
type outage struct {
	pod   types.UID
	since time.Time
	// tries is the number of restarts that did not help.
	tries int
}

func newRestarts(clock clock.PassiveClock, limit time.Duration) *restarts {
	return &restarts{clock: clock, limit: limit, seen: map[types.UID]map[int]*outage{}}
}

// remaining returns how much longer the game server of a pod may be unreachable. The time starts
// with the first call for a pod. Each restart that did not help doubles the limit. lost is since
// when the status has reported the problem, or the zero time if it does not.
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

// resume derives the state of a process that has ended. A pod has been unreachable since the game
// server was lost or the pod was started, whichever is later. The number of restarts that did not
// help is derived from the time between the loss and the creation of the pod.
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

// restarted records that a pod was restarted.
func (r *restarts) restarted(server types.UID, ordinal int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.seen[server][ordinal]; known != nil {
		known.tries++
	}
}

// reached records that a game server is reachable, or that there is no pod that could be restarted.
func (r *restarts) reached(server types.UID, ordinal int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen[server], ordinal)
}

// forget removes the state of a MockServer.
func (r *restarts) forget(server types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seen, server)
}
