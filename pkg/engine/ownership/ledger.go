// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MaxLost is the maximum number of Lost records in a ledger. An object whose record was dropped
// remains in the outside system and is never deleted.
const MaxLost = 16

// Slot identifies one outside object of an API object. It does not change when the outside object
// is recreated with another ID.
type Slot struct {
	// Kind is the kind of the outside object.
	Kind string
	// Key is its create key. It must not change while the API object lives: see Ledger.Key.
	Key string
	// Parent is the ID of the outside object that contains it, if any. An empty Parent matches
	// all parents.
	Parent string
}

// named reports whether r belongs to the slot, regardless of its parent.
func (s Slot) named(r Record) bool { return r.Kind == s.Kind && r.Key == s.Key }

// has reports whether r belongs to the slot and to its parent.
func (s Slot) has(r Record) bool {
	return s.named(r) && (s.Parent == "" || r.Parent == s.Parent)
}

// Ledger contains all records of an API object. For each Slot at most one record is Intended or Held.
// Its methods return a modified copy and do not modify the receiver.
type Ledger []Record

// Current returns the Held or Intended record of the slot. It prefers a Held record if an invalid
// ledger contains both.
func (l Ledger) Current(s Slot) (Record, bool) {
	for _, state := range []State{Held, Intended} {
		for _, r := range l {
			if s.has(r) && r.State == state && (state == Intended || r.ID != "") {
				return r, true
			}
		}
	}
	return Record{}, false
}

// Lost returns the Lost records of the slot, the newest first.
func (l Ledger) Lost(s Slot) []Record {
	var lost []Record
	for _, r := range slices.Backward(l) {
		if s.has(r) && r.State == Lost {
			lost = append(lost, r)
		}
	}
	slices.SortStableFunc(lost, func(a, b Record) int { return b.Since.Compare(a.Since.Time) })
	return lost
}

// knows reports whether a record of the slot has the id.
func (l Ledger) knows(s Slot, id string) bool {
	return slices.ContainsFunc(l, func(r Record) bool { return s.named(r) && r.ID == id })
}

// Key returns the create key of a kind of which the API object has one outside object: the
// recorded key, or generated if nothing is recorded. Generated keys change if an installation is
// renamed.
func (l Ledger) Key(kind, generated string) string {
	key := generated
	for _, r := range l {
		if r.Kind != kind {
			continue
		}
		if key = r.Key; r.State != Lost {
			break
		}
	}
	return key
}

// Equal reports whether both ledgers hold the same records in the same order.
func (l Ledger) Equal(other Ledger) bool {
	return slices.EqualFunc(l, other, func(a, b Record) bool {
		same := a.Since.Time.Equal(b.Since.Time)
		a.Since, b.Since = metav1.Time{}, metav1.Time{}
		return same && a == b
	})
}
