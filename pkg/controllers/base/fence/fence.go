// SPDX-License-Identifier: Apache-2.0

// Package fence prevents a controller from changing anything when it may have lost its Lease
// without noticing, because its process was stopped or its machine was suspended and another
// controller has taken over in the meantime. When such a process resumes, it would send requests
// that it prepared before. The API server rejects most of them with a conflict; other servers do
// not.
package fence

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// LeaseDuration is the time after the last renewal of the controllers' Lease after which another
// process may acquire it.
const LeaseDuration = 15 * time.Second

// Fence records when the Lease was last renewed and whether it was released. It is open until the
// first renewal: a process that has never been the leader has nothing to change.
type Fence struct {
	lease    string
	duration time.Duration
	clock    clock.PassiveClock

	mu       sync.Mutex
	renewed  time.Time
	released bool
}

// New returns the fence of the named Lease. duration is the time without renewal after which
// another process may acquire the Lease.
func New(lease string, duration time.Duration, clock clock.PassiveClock) *Fence {
	return &Fence{lease: lease, duration: duration, clock: clock}
}

// Check returns nil while the Lease is certainly held, and an error that describes why it may not
// be held otherwise.
func (f *Fence) Check() error {
	f.mu.Lock()
	renewed, released := f.renewed, f.released
	f.mu.Unlock()
	switch {
	case released:
		return fmt.Errorf("this controller has released its Lease %s, so that another one may take over: it makes no further changes", f.lease)
	case renewed.IsZero():
		return nil
	}
	passed := f.since(renewed)
	if passed < f.duration {
		return nil
	}
	return fmt.Errorf("this controller has not renewed its Lease %s for %s, and another one may have taken over: it makes no further changes",
		f.lease, passed.Round(time.Second))
}

// Lapsed returns how long ago the Lease expired. It is 0 while the Lease is held, and in a process
// that has never been the leader.
func (f *Fence) Lapsed() time.Duration {
	f.mu.Lock()
	renewed := f.renewed
	f.mu.Unlock()
	if renewed.IsZero() {
		return 0
	}
	return max(0, f.since(renewed)-f.duration)
}

// since returns the time since the renewal. It is the maximum of two clocks: the monotonic clock
// stops while the machine is suspended, and the wall clock may be set.
func (f *Fence) since(renewed time.Time) time.Duration {
	now := f.clock.Now()
	return max(now.Sub(renewed), now.Round(0).Sub(renewed.Round(0)))
}

// Wrap observes the requests to the API server: it records those that renew or release the Lease,
// and rejects other changes while the Lease may be lost. It is for use with rest.Config.Wrap.
func (f *Fence) Wrap(next http.RoundTripper) http.RoundTripper { return transport{f, next} }

type transport struct {
	fence *Fence
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return t.next.RoundTrip(r)
	}
	r, use, err := t.fence.leaseUse(r)
	if err != nil {
		return nil, err
	}
	switch use {
	case release:
		// Close the fence before the request is sent: another process may acquire the Lease before
		// the response arrives.
		t.fence.letGo()
		return t.next.RoundTrip(r)
	case renewal:
		// Other processes count from when they see the renewal, which is later than this.
		begin := t.fence.clock.Now()
		response, err := t.next.RoundTrip(r)
		if err == nil && response.StatusCode < http.StatusMultipleChoices {
			t.fence.note(begin)
		}
		return response, err
	}
	if err := t.fence.Check(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	return t.next.RoundTrip(r)
}

func (f *Fence) note(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = false
	if at.After(f.renewed) {
		f.renewed = at
	}
}

func (f *Fence) letGo() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = true
}
