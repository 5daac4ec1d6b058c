// SPDX-License-Identifier: Apache-2.0

package fair

import (
	"slices"
	"time"
)

// Limits bound how many items have a slot at the same time.
type Limits struct {
	// Key is for the items of one key, and Namespace for those of one key and namespace.
	Key, Namespace int
	// Class is for all items of a class, by class.
	Class map[string]int
	// Hold is how long a slot is reserved for the item whose turn it is.
	Hold time.Duration
}

// Claim says what an item needs a slot for.
type Claim[T, K comparable] struct {
	// Item has one slot at most.
	Item T
	// Key is what must not be used by too many items, such as an endpoint.
	Key K
	// Class is one of Limits.Class; another one gets no slot.
	Class string
	// Namespace is the owner of the item.
	Namespace string
}

// Slots hands out a limited number of slots. An item that gets none is parked. When a slot is free
// that it may have, and all namespaces before it had their turn, the slot is reserved for it. An
// item never gets a slot that a parked item could have. The caller serializes the calls, and tells
// the time with each.
type Slots[T, K comparable] struct {
	limits Limits
	// holders have a slot, or one is reserved for them.
	holders map[T]holder[T, K]
	parked  map[T]Claim[T, K]
	// waiting has the parked items of each key, and turns each such key once, the next one first.
	waiting map[K]*Queue[T]
	turns   fifo[K]

	keys       map[K]int
	namespaces map[place[K]]int
	classes    map[string]int
}

type holder[T, K comparable] struct {
	claim Claim[T, K]
	// until is when a reservation ends; zero for an item that has entered.
	until time.Time
}

// place is a namespace of a key.
type place[K comparable] struct {
	key       K
	namespace string
}

// NewSlots returns Slots that are all free.
func NewSlots[T, K comparable](limits Limits) *Slots[T, K] {
	return &Slots[T, K]{
		limits: limits, holders: map[T]holder[T, K]{}, parked: map[T]Claim[T, K]{}, waiting: map[K]*Queue[T]{},
		keys: map[K]int{}, namespaces: map[place[K]]int{}, classes: map[string]int{},
	}
}

// TryEnter reports whether the item has a slot now. If not, it is parked, and a later call returns
// it in woken. A claim that differs from the item's former one replaces it. woken are the items for
// which a slot was reserved: each should call TryEnter within Limits.Hold.
func (s *Slots[T, K]) TryEnter(now time.Time, claim Claim[T, K]) (entered bool, woken []T) {
	woken = s.Expire(now)
	if held, holds := s.holders[claim.Item]; holds && held.claim == claim {
		s.holders[claim.Item] = holder[T, K]{claim: claim}
		return true, slices.DeleteFunc(woken, func(item T) bool { return item == claim.Item })
	}
	if former, parked := s.parked[claim.Item]; parked && former == claim {
		return false, woken // a slot would be reserved for it if one were free
	}
	woken = append(woken, s.Leave(now, claim.Item)...)
	if s.fits(claim) {
		s.hold(claim, time.Time{})
		return true, woken
	}
	s.park(claim)
	return false, woken
}

// Leave ends the item's claim: it gives back its slot or reservation, or is not parked any more.
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
// before they call TryEnter.
func (s *Slots[T, K]) Expire(now time.Time) (woken []T) {
	for item, holder := range s.holders {
		if !holder.until.IsZero() && !now.Before(holder.until) {
			s.free(item)
		}
	}
	return s.offer(now)
}

// Next returns when the next reservation ends, zero if there is none.
func (s *Slots[T, K]) Next() (next time.Time) {
	for _, holder := range s.holders {
		if !holder.until.IsZero() && (next.IsZero() || holder.until.Before(next)) {
			next = holder.until
		}
	}
	return next
}

// offer reserves the free slots for the parked items whose turn it is.
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

// nextParked removes and returns the first item that may have a slot: of the keys in turn, and of
// each key's namespaces in turn.
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
