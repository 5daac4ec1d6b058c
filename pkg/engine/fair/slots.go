// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"slices"
	"time"
)

// Limits are the maximum numbers of items that have a slot at the same time.
type Limits struct {
	// Key is the limit for each key, and Namespace for each namespace of a key.
	Key, Namespace int
	// Class contains the limit for each class.
	Class map[string]int
	// Hold is how long a slot is reserved for the item whose turn it is.
	Hold time.Duration
}

// Claim describes the slot that an item needs.
type Claim[T, K comparable] struct {
	// Item identifies the item, which has at most one slot.
	Item T
	// Key is the resource that must not be used by too many items, such as an endpoint.
	Key K
	// Class is a key of Limits.Class; items of other classes get no slot.
	Class string
	// Namespace is the owner of the item.
	Namespace string
}

// Slots assigns a limited number of slots. An item that gets none is parked. When a slot becomes
// available for it, and all namespaces before it had their turn, the slot is reserved for it. An
// item never gets a slot that is available for a parked item. The caller must serialize the calls,
// and passes the current time to each of them.
type Slots[T, K comparable] struct {
	limits Limits
	// holders are the items that have a slot or a reservation.
	holders map[T]holder[T, K]
	parked  map[T]Claim[T, K]
	// waiting contains the parked items of each key, and turns each such key once, the next one first.
	waiting map[K]*Queue[T]
	turns   fifo[K]

	keys       map[K]int
	namespaces map[place[K]]int
	classes    map[string]int
}

type holder[T, K comparable] struct {
	claim Claim[T, K]
	// until is the end of a reservation; zero for an item that has entered.
	until time.Time
}

// place is a namespace of a key.
type place[K comparable] struct {
	key       K
	namespace string
}

// NewSlots returns Slots without holders.
func NewSlots[T, K comparable](limits Limits) *Slots[T, K] {
	return &Slots[T, K]{
		limits: limits, holders: map[T]holder[T, K]{}, parked: map[T]Claim[T, K]{}, waiting: map[K]*Queue[T]{},
		keys: map[K]int{}, namespaces: map[place[K]]int{}, classes: map[string]int{},
	}
}

// TryEnter reports whether the item has a slot now. If not, it is parked, and a later call returns
// it in woken. A claim that differs from the item's former one replaces it. woken contains the items
// for which a slot was reserved: each should call TryEnter within Limits.Hold.
func (s *Slots[T, K]) TryEnter(now time.Time, claim Claim[T, K]) (entered bool, woken []T) {
	woken = s.Expire(now)
	if held, holds := s.holders[claim.Item]; holds && held.claim == claim {
		s.holders[claim.Item] = holder[T, K]{claim: claim}
		return true, slices.DeleteFunc(woken, func(item T) bool { return item == claim.Item })
	}
	if former, parked := s.parked[claim.Item]; parked && former == claim {
		return false, woken // a slot would be reserved for it if one were available
	}
	woken = append(woken, s.Leave(now, claim.Item)...)
	if s.fits(claim) {
		s.hold(claim, time.Time{})
		return true, woken
	}
	s.park(claim)
	return false, woken
}

// Leave ends the item's claim: its slot or reservation is released, or it is no longer parked.
func (s *Slots[T, K]) Leave(now time.Time, item T) (woken []T) {
	if claim, parked := s.parked[item]; parked {
		s.waiting[claim.Key].remove(claim.Namespace, func(other T) bool { return other == item })
		delete(s.parked, item)
		s.forgetIfEmpty(claim.Key)
		return nil
	}
	if _, holds := s.holders[item]; !holds {
		return nil
	}
	s.free(item)
	return s.offer(now)
}

// Expire ends the reservations whose time is over. Their items were woken and are not parked again
// until they call TryEnter.
func (s *Slots[T, K]) Expire(now time.Time) (woken []T) {
	for item, holder := range s.holders {
		if !holder.until.IsZero() && !now.Before(holder.until) {
			s.free(item)
		}
	}
	return s.offer(now)
}

// Next returns the end of the next reservation, or zero if there is none.
func (s *Slots[T, K]) Next() (next time.Time) {
	for _, holder := range s.holders {
		if !holder.until.IsZero() && (next.IsZero() || holder.until.Before(next)) {
			next = holder.until
		}
	}
	return next
}

// offer reserves the available slots for the parked items whose turn it is.
func (s *Slots[T, K]) offer(now time.Time) (woken []T) {
	for {
		item, found := s.nextParked()
		if !found {
			return woken
		}
		s.hold(s.parked[item], now.Add(s.limits.Hold))
		delete(s.parked, item)
		woken = append(woken, item)
	}
}

// nextParked removes and returns the first item for which a slot is available: of the keys in turn,
// and of each key's namespaces in turn.
func (s *Slots[T, K]) nextParked() (item T, found bool) {
	for n, key := range s.turns {
		item, found = s.waiting[key].popFirst(func(item T) bool { return s.fits(s.parked[item]) })
		if !found {
			continue
		}
		s.turns.remove(n)
		s.turns.push(key)
		s.forgetIfEmpty(key)
		return item, true
	}
	return item, false
}

func (s *Slots[T, K]) park(claim Claim[T, K]) {
	s.parked[claim.Item] = claim
	if s.waiting[claim.Key] == nil {
		s.waiting[claim.Key] = NewQueue(func(item T) string { return s.parked[item].Namespace })
		s.turns.push(claim.Key)
	}
	s.waiting[claim.Key].Push(claim.Item)
}

func (s *Slots[T, K]) forgetIfEmpty(key K) {
	if s.waiting[key].Len() == 0 {
		delete(s.waiting, key)
		s.turns = slices.DeleteFunc(s.turns, func(other K) bool { return other == key })
	}
}
