// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// outcome is the result of one exchange with regard to the health of its endpoint.
type outcome int

const (
	neutral outcome = iota // no information: canceled by the caller, not sent, or a failure caused by input or credentials
	alive                  // the endpoint responded with a status below 500
	failing                // transport failure or 5xx
)

// breaker is the circuit breaker of one key. Unlike the usual three-state breaker, it does not use
// requests of callers as a trial: the pool sends its own probes, so that waiting objects need not
// retry. It uses an injected clock.
type breaker struct {
	clock     clock.PassiveClock
	host      string
	threshold int
	interval  time.Duration

	mu       sync.Mutex
	failures int
	open     bool
	since    time.Time // when the circuit opened
	until    time.Time // time of the next probe
	cause    error     // error of the last failed probe, nil before the first
}

// allow returns *CircuitOpenError while the circuit is open.
func (b *breaker) allow() error {
	b.mu.Lock()
	open, since, until, cause := b.open, b.since, b.until, b.cause
	b.mu.Unlock()
	if !open {
		return nil
	}
	now := b.clock.Now()
	left := until.Sub(now)
	if left <= 0 { // a probe is in progress: if it fails, the next one follows after an interval
		left = b.interval
	}
	return &CircuitOpenError{Host: b.host, Until: until, After: left, For: now.Sub(since), Cause: cause}
}

func (b *breaker) state() (open bool, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open, b.until
}

// record counts an ordinary request and reports whether it opened the circuit. While the circuit is open, only
// probes count: late responses to earlier requests contain no new information.
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

// recordProbe closes the circuit if the endpoint responded. Otherwise the next probe follows after one interval. err is
// the failure, and nil if o is alive. A neutral outcome does not close the circuit.
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
