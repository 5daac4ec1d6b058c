// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// tokenCache caches domain tokens in memory. Each token is renewed after 80 % of its lifetime, measured from its receipt
// by the local clock, so that clock skew has no effect. Concurrent callers share one renewal and its failure.
type tokenCache struct {
	clock clock.PassiveClock
	// hold is how long a first failure of Takaro is cached. Each further failure doubles it, up to maxHolds times.
	hold time.Duration

	mu      sync.Mutex
	entries map[string]*tokenEntry
}

type tokenEntry struct {
	turn chan struct{} // contains one element; the goroutine that receives it may fetch

	mu      sync.Mutex
	token   Secret
	renewAt time.Time
	// failed is the last failure of Takaro since the last token, and retryAt is the time of the next request. While
	// Takaro's identity service is unavailable, each object of each domain would otherwise send its own request.
	failed   error
	failures int
	retryAt  time.Time
}

func newTokenCache(c clock.PassiveClock, hold time.Duration) *tokenCache {
	return &tokenCache{clock: c, hold: hold, entries: map[string]*tokenEntry{}}
}

// get returns the cached token of a domain, or a new one from fetch.
func (t *tokenCache) get(ctx context.Context, domainID string, fetch func(context.Context, string) (Secret, error)) (Secret, error) {
	e := t.entry(domainID)
	if token, ok := e.current(t.clock.Now()); ok {
		return token, nil
	}
	select {
	case <-e.turn:
	case <-ctx.Done():
		return Secret{}, ctx.Err()
	}
	defer func() { e.turn <- struct{}{} }()
	if token, ok := e.current(t.clock.Now()); ok { // another caller renewed it meanwhile
		return token, nil
	}
	if err := e.held(t.clock.Now()); err != nil {
		return Secret{}, err
	}
	token, err := fetch(ctx, domainID)
	if err != nil {
		t.failed(domainID, err)
		return Secret{}, err
	}
	e.set(token, t.clock.Now())
	return token, nil
}

// put stores a token that was not requested with get.
func (t *tokenCache) put(domainID string, token Secret) { t.entry(domainID).set(token, t.clock.Now()) }

// failed records that Takaro issued no token. Other errors are not recorded: endpoints that do not respond have a circuit breaker.
func (t *tokenCache) failed(domainID string, err error) {
	if !noToken(err) {
		return
	}
	e := t.entry(domainID)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed, e.retryAt = err, t.clock.Now().Add(t.hold<<min(e.failures, maxHolds))
	e.failures++
}

// held returns the last failure if no request may be sent for the domain yet, otherwise nil.
func (t *tokenCache) held(domainID string) error { return t.entry(domainID).held(t.clock.Now()) }

// drop removes a token that Takaro rejected, unless it was replaced meanwhile.
func (t *tokenCache) drop(domainID string, refused Secret) {
	e := t.entry(domainID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.token.Equal(refused) {
		e.token = Secret{}
	}
}

// forget removes everything that is cached for a domain.
func (t *tokenCache) forget(domainID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, domainID)
}

func (t *tokenCache) entry(domainID string) *tokenEntry {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[domainID]; e != nil {
		return e
	}
	if len(t.entries) >= maxCachedTokens {
		for id := range t.entries { // any entry: the domain needs one additional renewal
			delete(t.entries, id)
			break
		}
	}
	e := &tokenEntry{turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	t.entries[domainID] = e
	return e
}

func (e *tokenEntry) current(now time.Time) (Secret, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.token, !e.token.IsEmpty() && now.Before(e.renewAt)
}

func (e *tokenEntry) held(now time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed != nil && now.Before(e.retryAt) {
		return e.failed
	}
	return nil
}

func (e *tokenEntry) set(token Secret, now time.Time) {
	life := lifetime(token.Reveal())
	if life == 0 {
		life = unknownTokenLife
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.token, e.renewAt = token, now.Add(life/5*4)
	e.failed, e.failures = nil, 0
}
