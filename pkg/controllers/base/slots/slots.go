// SPDX-License-Identifier: Apache-2.0

// Package slots bounds how many objects of a kind send requests at the same time: to one endpoint,
// for one namespace, with tenants' credentials, and in all. So an endpoint that does not answer
// occupies only some of the workers, and the others report the first status of new objects and serve
// other endpoints.
package slots

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/engine/fair"
)

// Workers is how many objects of a kind are reconciled at the same time: some more than there are
// slots, for what needs none.
const Workers = 32

const (
	// installationClass is for the credentials of the installation, ownClass for those of tenants.
	installationClass, ownClass = "installation", "own"
	// expiryMargin lets the timer fire after the end of a reservation, not just before it.
	expiryMargin = 10 * time.Millisecond
)

var limits = fair.Limits{
	Key:       8,
	Namespace: 4,
	Class:     map[string]int{installationClass: 16, ownClass: 12},
	Hold:      10 * time.Second,
}

// Clock is what Slots need of a clock.
type Clock interface {
	clock.PassiveClock
	AfterFunc(time.Duration, func()) clock.Timer
}

// Slots are those of one kind. K is the key of an endpoint with its credentials.
type Slots[K comparable] struct {
	clock Clock
	wake  func([]reconcile.Request)

	mu    sync.Mutex
	slots *fair.Slots[reconcile.Request, K]
	// due is when the timer fires that ends reservations, zero without one.
	due time.Time
}

// New returns Slots that are all free. wake is called with the objects for which a slot became free;
// each should be reconciled within 10 seconds. It must not block.
func New[K comparable](clock Clock, wake func([]reconcile.Request)) *Slots[K] {
	return &Slots[K]{clock: clock, wake: wake, slots: fair.NewSlots[reconcile.Request, K](limits)}
}

// Turn is one reconciliation of an object, which may need a slot.
type Turn[K comparable] struct {
	slots   *Slots[K]
	request reconcile.Request
	// entered reports that it has a slot, parked that it waits for one.
	entered, parked bool
}

// Begin returns the Turn of a reconciliation. The caller must call End when it ends.
func (s *Slots[K]) Begin(request reconcile.Request) *Turn[K] {
	return &Turn[K]{slots: s, request: request}
}

// TryEnter reports whether the object may send requests to the endpoint. Otherwise it is woken when
// it may. own reports that a tenant chose the credentials. Repeated calls return the same.
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

// End gives back what the object has, for the next one: its slot, or one that was reserved for it
// and that it did not need. An object that TryEnter refused stays parked.
func (t *Turn[K]) End() {
	if t.parked {
		return
	}
	t.slots.do(func(now time.Time) []reconcile.Request { return t.slots.slots.Leave(now, t.request) })
}

// do changes the slots, and wakes the objects for which one became free.
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

// expire ends the reservations whose objects did not come in time.
func (s *Slots[K]) expire() {
	s.do(func(now time.Time) []reconcile.Request {
		s.due = time.Time{}
		return s.slots.Expire(now)
	})
}
