// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stamp returns now in its stored form: metav1.Time has a precision of seconds.
func stamp(now time.Time) metav1.Time { return metav1.NewTime(now.UTC().Truncate(time.Second)) }

// Intend returns the ledger with an intent for the slot as of now. It must be stored before each
// create: CreateWindow starts with the last one. A Held record becomes Lost.
func (l Ledger) Intend(s Slot, now time.Time) Ledger {
	next := l.lose(s, "", now)
	for i := range next {
		if s.named(next[i]) && next[i].State == Intended {
			next[i].Parent, next[i].Since = s.Parent, stamp(now)
			return next
		}
	}
	return append(next, Record{Kind: s.Kind, Key: s.Key, Parent: s.Parent, State: Intended, Since: stamp(now)})
}

// Keeps reports whether the stored ledger contains the intent for the slot in l. Otherwise the
// create must not be sent, because a server that drops the ledger would leave an object without an
// owner.
func (l Ledger) Keeps(s Slot, stored Ledger) bool {
	want, intended := l.Current(s)
	got, kept := stored.Current(s)
	return intended && kept && got.State == Intended && want.Since.Time.Equal(got.Since.Time)
}

// Withdraw returns the ledger without the intent for the slot, after a create that was clearly rejected.
func (l Ledger) Withdraw(s Slot) Ledger {
	return l.without(func(r Record) bool { return s.named(r) && r.State == Intended })
}

// ClearlyRefused reports whether a create certainly had no effect: it was never sent, or the
// response has a 4xx status. 408 leaves the result open. 409 may be the response to a create that
// repeats one with an effect.
func ClearlyRefused(sent bool, status int) bool {
	if !sent {
		return true
	}
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusConflict
}

// Hold returns the ledger with a Held record of the ID. It removes the intent for the slot; another
// Held record becomes Lost. A known ID keeps its origin.
func (l Ledger) Hold(s Slot, id string, origin Origin, now time.Time) Ledger {
	held := Record{Kind: s.Kind, ID: id, Key: s.Key, Parent: s.Parent, State: Held, Origin: origin, Since: stamp(now)}
	for _, r := range l {
		if s.named(r) && r.ID == id {
			held.Origin = r.Origin
			if r.State == Held {
				held.Since = r.Since
			}
		}
	}
	next := l.without(func(r Record) bool { return s.named(r) && (r.ID == id || r.State == Intended) })
	return append(next.lose(s, id, now), held)
}

// Lose returns the ledger in which the Held record of the slot is Lost.
func (l Ledger) Lose(s Slot, now time.Time) Ledger { return l.lose(s, "", now) }

// Forget returns the ledger without the record of the ID. Use it only for an object that Roadstead
// deleted, after a verified endpoint returned 404 for it.
func (l Ledger) Forget(s Slot, id string) Ledger {
	return l.without(func(r Record) bool { return s.named(r) && r.ID == id })
}

// Reparent returns the ledger in which records of the slot with another parent are Lost: a user
// cannot be held in a domain that was replaced. An intent has no ID and is dropped.
func (l Ledger) Reparent(s Slot, now time.Time) Ledger {
	if s.Parent == "" {
		return slices.Clone(l)
	}
	moved := func(r Record) bool { return s.named(r) && r.Parent != s.Parent }
	next := l.without(func(r Record) bool { return moved(r) && r.State == Intended })
	return next.change(func(r Record) bool { return moved(r) && r.State == Held }, now)
}

// attempted returns the ledger in which the number of removals of the intent is incremented.
func (l Ledger) attempted(s Slot) Ledger {
	next := slices.Clone(l)
	for i := range next {
		if s.named(next[i]) && next[i].State == Intended {
			next[i].Tries++
		}
	}
	return next
}

// lose marks the Held records of the slot as Lost, except the one with the ID.
func (l Ledger) lose(s Slot, except string, now time.Time) Ledger {
	return l.change(func(r Record) bool { return s.named(r) && r.State == Held && r.ID != except }, now)
}

// change marks all matching records as Lost and drops the oldest Lost ones beyond MaxLost.
func (l Ledger) change(match func(Record) bool, now time.Time) Ledger {
	next := slices.Clone(l)
	lost := 0
	for i := range next {
		if match(next[i]) {
			next[i].State, next[i].Since, next[i].Tries = Lost, stamp(now), 0
		}
		if next[i].State == Lost {
			lost++
		}
	}
	for ; lost > MaxLost; lost-- {
		oldest := -1
		for i, r := range next {
			if r.State == Lost && (oldest < 0 || r.Since.Time.Before(next[oldest].Since.Time)) {
				oldest = i
			}
		}
		next = slices.Delete(next, oldest, oldest+1)
	}
	return next
}

func (l Ledger) without(match func(Record) bool) Ledger {
	return slices.DeleteFunc(slices.Clone(l), match)
}
