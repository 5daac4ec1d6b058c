// SPDX-License-Identifier: Apache-2.0

// Package fence keeps a controller from changing anything when it may have lost its Lease without noticing: its process was
// stopped or its machine suspended, and another controller has taken over meanwhile. When it goes on, requests that it had
// prepared are of yesterday; those to the API server meet a conflict in most cases, those to others do not.
package fence

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// LeaseDuration is how long after the last renewal of the controllers' Lease another process may take it.
const LeaseDuration = 15 * time.Second

// Fence knows when the Lease was renewed last. Until the first time it is open: whoever never led has nothing to change.
type Fence struct {
	lease    string
	duration time.Duration
	clock    clock.PassiveClock

	mu      sync.Mutex
	renewed time.Time
}

// New returns the fence of a Lease, by its name, that others may take when it was not renewed for a duration.
func New(lease string, duration time.Duration, clock clock.PassiveClock) *Fence {
	return &Fence{lease: lease, duration: duration, clock: clock}
}

// Check returns nil while the Lease is surely held, else an error that says since when it may not be.
func (f *Fence) Check() error {
	f.mu.Lock()
	renewed := f.renewed
	f.mu.Unlock()
	if renewed.IsZero() {
		return nil
	}
	now := f.clock.Now()
	// The one clock stands still while the machine is suspended, the other may be set.
	passed := max(now.Sub(renewed), now.Round(0).Sub(renewed.Round(0)))
	if passed < f.duration {
		return nil
	}
	return fmt.Errorf("this controller has not renewed its Lease %s for %s: another one may work in its place, so it changes nothing more", f.lease, passed.Round(time.Second))
}

// Wrap watches the requests to the API server: those that renew the Lease are noted, and others that change something are
// refused when the Lease may be lost. It fits rest.Config.Wrap.
func (f *Fence) Wrap(next http.RoundTripper) http.RoundTripper { return transport{f, next} }

type transport struct {
	fence *Fence
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions:
		return t.next.RoundTrip(r)
	case t.fence.renews(r):
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

// renews tells whether a request makes or renews the Lease.
func (f *Fence) renews(r *http.Request) bool {
	const leases = "/leases"
	return strings.HasPrefix(r.URL.Path, "/apis/coordination.k8s.io/") &&
		(r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, leases) || strings.HasSuffix(r.URL.Path, leases+"/"+f.lease))
}

func (f *Fence) note(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at.After(f.renewed) {
		f.renewed = at
	}
}
