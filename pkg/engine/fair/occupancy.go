// SPDX-License-Identifier: Apache-2.0

package fair

import "time"

// fits reports whether a slot is available for the claim.
func (s *Slots[T, K]) fits(claim Claim[T, K]) bool {
	return s.keys[claim.Key] < s.limits.Key &&
		s.namespaces[placeOf(claim)] < s.limits.Namespace &&
		s.classes[claim.Class] < s.limits.Class[claim.Class]
}

// hold assigns a slot to the claim, or reserves it until a time.
func (s *Slots[T, K]) hold(claim Claim[T, K], until time.Time) {
	s.holders[claim.Item] = holder[T, K]{claim: claim, until: until}
	s.keys[claim.Key]++
	s.namespaces[placeOf(claim)]++
	s.classes[claim.Class]++
}

// free releases the slot or the reservation of an item.
func (s *Slots[T, K]) free(item T) {
	claim := s.holders[item].claim
	delete(s.holders, item)
	decrement(s.keys, claim.Key)
	decrement(s.namespaces, placeOf(claim))
	decrement(s.classes, claim.Class)
}

func placeOf[T, K comparable](claim Claim[T, K]) place[K] {
	return place[K]{claim.Key, claim.Namespace}
}

// decrement decrements a counter, and deletes it if it is zero.
func decrement[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}
