// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
	"k8s.io/utils/lru"
)

const (
	// inFlightPerCaller is the maximum number of concurrent reviews of one caller. With reviews of
	// a few milliseconds each it has no effect; if reviews take longer, it leaves capacity of the
	// cluster to other callers.
	inFlightPerCaller = 16
	// knownCallers is the maximum number of cached callers. One takes about 300 bytes. A caller
	// that was evicted starts with a full rate.
	knownCallers = 4096
)

// Callers limits the SubjectAccessReviews of each caller, by user name. Each new object name causes
// one, whether the object exists or not, so a caller that reads random names could use up the
// capacity of the cluster. Only reviews that are sent count. Requests that are never reviewed, such
// as those of system:masters, are exempt.
type Callers struct {
	qps   rate.Limit
	burst int

	mu    sync.Mutex
	known *lru.Cache
}

// caller is the quota of one user.
type caller struct {
	inFlight *semaphore.Weighted
	reviews  *rate.Limiter
}

// NewCallers returns Callers. qps is the maximum number of reviews per second for one caller, with
// bursts of twice as many; negative: no limit. The number in flight is always limited.
func NewCallers(qps float32) *Callers {
	register()
	c := &Callers{qps: rate.Limit(qps), burst: burst(qps), known: lru.New(knownCallers)}
	if qps < 0 {
		c.qps = rate.Inf
	}
	return c
}

func (c *Callers) caller(user string) *caller {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.known.Get(user); ok {
		return found.(*caller)
	}
	made := &caller{inFlight: semaphore.NewWeighted(inFlightPerCaller), reviews: rate.NewLimiter(c.qps, c.burst)}
	c.known.Add(user, made)
	return made
}

// inDebt reports whether reviews of the caller are already waiting for its rate.
func (c *Callers) inDebt(user string) bool {
	found, ok := c.known.Get(user)
	return ok && found.(*caller).reviews.Tokens() < 0
}

// await waits until another review may be sent for a question. The question counts as in flight
// until it ends, also if it needs two reviews.
func (c *Callers) await(ctx context.Context, q *question) error {
	if q.caller == nil {
		caller := c.caller(q.user)
		if err := caller.inFlight.Acquire(ctx, 1); err != nil {
			return err
		}
		q.caller = caller
	}
	return q.caller.reviews.Wait(ctx)
}
