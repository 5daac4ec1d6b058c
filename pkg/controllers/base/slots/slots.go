// SPDX-License-Identifier: Apache-2.0

// Package slots limits how many objects of a kind send requests at the same time: per endpoint, per
// namespace, with tenants' credentials, and in total. An endpoint that does not respond therefore
// blocks only some of the workers. The others report the first status of new objects and serve
// other endpoints.
package slots

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/engine/fair"
)

// Workers is the number of objects of a kind that are reconciled at the same time. It exceeds the
// number of slots, so that objects that need no slot are reconciled too.
const Workers = 32

const (
	// installationClass is for the credentials of the installation, ownClass for those of tenants.
	installationClass, ownClass = "installation", "own"
	// expiryMargin delays the timer, so that it fires after the end of a reservation and not just
	// before it.
	expiryMargin = 10 * time.Millisecond
)

var limits = fair.Limits{
	Key:       8,
	Namespace: 4,
	Class:     map[string]int{installationClass: 16, ownClass: 12},
	Hold:      10 * time.Second,
}

// Clock is the part of a clock that Slots use.
type Clock interface {
	clock.PassiveClock
	AfterFunc(time.Duration, func()) clock.Timer
}

// Slots are the slots of one kind. K identifies an endpoint with its credentials.
type Slots[K comparable] struct {
	clock Clock
	wake  func([]reconcile.Request)

	mu    sync.Mutex
	slots *fair.Slots[reconcile.Request, K]
	// due is when the timer that ends reservations fires, or the zero time if no timer is running.
	due time.Time
}

// New returns Slots without occupied slots. wake is called with the objects for which a slot became
// available; each should be reconciled within 10 seconds. wake must not block.
func New[K comparable](clock Clock, wake func([]reconcile.Request)) *Slots[K] {
	return &Slots[K]{clock: clock, wake: wake, slots: fair.NewSlots[reconcile.Request, K](limits)}
}

// Turn is one reconciliation of an object, which may need a slot.
type Turn[K comparable] struct {
	slots   *Slots[K]
	request reconcile.Request
	// entered is set if the object has a slot, parked if it waits for one.
	entered, parked bool
}

// Begin returns the Turn of a reconciliation. The caller must call End when the reconciliation
// ends.
func (s *Slots[K]) Begin(request reconcile.Request) *Turn[K] {
	return &Turn[K]{slots: s, request: request}
}

// TryEnter reports whether the object may send requests to the endpoint. If not, the object is
// woken when it may. own is set if a tenant chose the credentials. Repeated calls return the same
// result.
func (t *Turn[K]) TryEnter(key K, own bool) bool {
	if t.entered || t.parked {
		return t.entered
	}
	class := installationClass
	if own {
		class = ownClass
	}
	t.slots.do(func(now time.Time) (woken []reconcile.Request) {
		t.entered, woken = t.slots.slots.TryEnter(now, fair.Claim[reconcile.Request, K]{
			Item: t.request, Key: key, Class: class, Namespace: t.request.Namespace,
		})
		return woken
	})
	t.parked = !t.entered
	return t.entered
}

// End releases the slot of the object, or the slot that was reserved for it and that it did not
// need. An object that TryEnter refused stays parked.
func (t *Turn[K]) End() {
	if t.parked {
		return
	}
	t.slots.do(func(now time.Time) []reconcile.Request { return t.slots.slots.Leave(now, t.request) })
}

// do changes the slots, and wakes the objects for which a slot became available.
func (s *Slots[K]) do(change func(now time.Time) []reconcile.Request) {
	s.mu.Lock()
	now := s.clock.Now()
	woken := change(now)
	if next := s.slots.Next(); !next.IsZero() && s.due.IsZero() {
		s.due = next
		s.clock.AfterFunc(next.Sub(now)+expiryMargin, s.expire)
	}
	s.mu.Unlock()
	if len(woken) > 0 {
		s.wake(woken)
	}
}

// expire ends the reservations whose objects were not reconciled in time.
func (s *Slots[K]) expire() {
	s.do(func(now time.Time) []reconcile.Request {
		s.due = time.Time{}
		return s.slots.Expire(now)
	})
}
