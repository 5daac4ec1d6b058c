// SPDX-License-Identifier: Apache-2.0

// Package fence keeps a controller from changing anything when it may have lost its Lease without noticing: its process was
// stopped or its machine suspended, and another controller has taken over meanwhile. When it goes on, requests that it had
// prepared are of yesterday; those to the API server meet a conflict in most cases, those to others do not.
package fence

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// LeaseDuration is how long after the last renewal of the controllers' Lease another process may take it.
const LeaseDuration = 15 * time.Second

// Fence knows when the Lease was last renewed and whether it was released. It is open until the
// first renewal: a process that never led has nothing to change.
type Fence struct {
	lease    string
	duration time.Duration
	clock    clock.PassiveClock

	mu       sync.Mutex
	renewed  time.Time
	released bool
}

// New returns the fence of a Lease, by its name, that others may take when it was not renewed for a duration.
func New(lease string, duration time.Duration, clock clock.PassiveClock) *Fence {
	return &Fence{lease: lease, duration: duration, clock: clock}
}

// Check returns nil while the Lease is surely held, and otherwise an error that says why it may not
// be.
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

// Lapsed returns for how long others have been free to take the Lease because it was not renewed. It is 0 while the Lease is
// held, and in a process that never led.
func (f *Fence) Lapsed() time.Duration {
	f.mu.Lock()
	renewed := f.renewed
	f.mu.Unlock()
	if renewed.IsZero() {
		return 0
	}
	return max(0, f.since(renewed)-f.duration)
}

// since returns how much time has passed. The monotonic clock stops while the machine is suspended, the wall clock may be set.
func (f *Fence) since(renewed time.Time) time.Duration {
	now := f.clock.Now()
	return max(now.Sub(renewed), now.Round(0).Sub(renewed.Round(0)))
}

// Wrap watches the requests to the API server: it notes those that renew or release the Lease, and
// refuses other changes while the Lease may be lost. It fits rest.Config.Wrap.
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
		// Closed before the request is sent: another process may take the Lease before the answer is
		// here.
		t.fence.letGo()
		return t.next.RoundTrip(r)
	case renewal:
		// Others count from when they see the renewal, which is later.
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
