// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// outcome is what one exchange says about the health of its endpoint.
type outcome int

const (
	neutral outcome = iota // nothing: canceled by the caller, not sent, or a failure that belongs to input or credentials
	alive                  // it answered with a status below 500
	failing                // transport failure or 5xx
)

// breaker is the circuit of one key. Unlike the usual three-state breaker it lets no caller's request through
// as a trial: the pool probes by itself, so that waiting objects need not keep calling, and it runs on an
// injected clock.
type breaker struct {
	clock     clock.PassiveClock
	host      string
	threshold int
	interval  time.Duration

	mu       sync.Mutex
	failures int
	open     bool
	since    time.Time // when it opened
	until    time.Time // next probe
	cause    error     // of the last probe that failed, nil before the first
}

// allow gives *CircuitOpenError while the circuit is open.
func (b *breaker) allow() error {
	b.mu.Lock()
	open, since, until, cause := b.open, b.since, b.until, b.cause
	b.mu.Unlock()
	if !open {
		return nil
	}
	now := b.clock.Now()
	left := until.Sub(now)
	if left <= 0 { // the probe is under way: if it fails, the next one is an interval away
		left = b.interval
	}
	return &CircuitOpenError{Host: b.host, Until: until, After: left, For: now.Sub(since), Cause: cause}
}

func (b *breaker) state() (open bool, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open, b.until
}

// record counts an ordinary request and tells whether it opened the circuit. While the circuit is open only
// probes count: late answers of requests from before say nothing new.
func (b *breaker) record(o outcome) (opened bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return false
	}
	switch o {
	case alive:
		b.failures = 0
	case failing:
		b.failures++
	case neutral:
	}
	if b.failures < b.threshold {
		return false
	}
	b.open, b.since, b.until = true, b.clock.Now(), b.clock.Now().Add(b.interval)
	return true
}

// recordProbe closes the circuit if the endpoint answered. Otherwise the next probe is one interval away; err is why,
// and nil if o is alive. A neutral outcome shows nothing of the endpoint and closes nothing.
func (b *breaker) recordProbe(o outcome, err error) (closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o != alive {
		b.until, b.cause = b.clock.Now().Add(b.interval), err
		return false
	}
	b.open, b.failures, b.until, b.cause = false, 0, time.Time{}, nil
	return true
}
