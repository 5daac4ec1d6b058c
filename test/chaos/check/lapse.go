// SPDX-License-Identifier: Apache-2.0

package check

import (
	"time"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Aftermath is how long after a lapse objects may report what was true before it. The controllers
// compare every few seconds, but only the holder of the anchor changes a status. After a kill or a
// freeze of the leader, and after a rollback of Takaro to an earlier holder, the anchor must be
// unchanged for 30 s, in addition to the 15 s of the Lease.
const Aftermath = time.Minute

// Lapse is a moment at which objects in Takaro disappeared or reappeared without a request: the
// database was replaced by another one or by an older copy, or another client deleted a domain.
type Lapse struct {
	At time.Time
	// Lost are the ids of domains, users and game servers that no longer exist afterwards, Returned
	// those that exist only afterwards.
	Lost, Returned map[string]bool
}

// Difference returns the lapse between two states of Takaro.
func Difference(at time.Time, before, after []takaro.Domain) Lapse {
	l := Lapse{At: at, Lost: idsOf(before), Returned: idsOf(after)}
	for id := range l.Lost {
		if l.Returned[id] {
			delete(l.Lost, id)
			delete(l.Returned, id)
		}
	}
	return l
}

func idsOf(domains []takaro.Domain) map[string]bool {
	ids := map[string]bool{}
	for _, domain := range domains {
		ids[domain.ID] = true
		for _, user := range domain.Users {
			ids[user.ID] = true
		}
		for _, server := range domain.GameServers {
			ids[server.ID] = true
		}
	}
	return ids
}

// Lapses are all lapses of a run, in the order of their times.
type Lapses []Lapse

// Lost reports whether the id was lost at the given time and had not returned by then.
func (l Lapses) Lost(id string, at time.Time) bool {
	lost := false
	for _, one := range l {
		if !one.At.After(at) && (one.Lost[id] || one.Returned[id]) {
			lost = one.Lost[id]
		}
	}
	return lost
}

// Returned returns the time at which the id last returned, or the zero time if it never did.
func (l Lapses) Returned(id string) time.Time {
	var at time.Time
	for _, one := range l {
		if one.Returned[id] {
			at = one.At
		}
	}
	return at
}

// Last returns the time of the last lapse, or the zero time if there was none.
func (l Lapses) Last() time.Time {
	if len(l) == 0 {
		return time.Time{}
	}
	return l[len(l)-1].At
}

// Planted is a domain that another client created.
type Planted struct {
	takaro.Domain
	// Shared domains are also used by a Domain, which adopts it or owned it before. They may change,
	// but not their reference, and they must not be deleted.
	Shared bool
}

// Outside is the state of Takaro at one moment.
type Outside struct {
	Domains []takaro.Domain
	// Planted are the foreign domains that the current database must contain.
	Planted []Planted
	Lapses  Lapses
}

// takes reports whether a foreign domain has the reference.
func (o Outside) takes(reference string) bool {
	for _, planted := range o.Planted {
		if !planted.Shared && reference != "" && planted.ExternalReference == reference {
			return true
		}
	}
	return false
}

func (o Outside) planted(id string) bool {
	for _, planted := range o.Planted {
		if planted.ID == id {
			return true
		}
	}
	return false
}

// Ended is an object as a watch showed it last, before it reported the deletion.
type Ended struct {
	Object
	At time.Time
}

// stray reports whether an outside object without an owner exists only because it returned in
// Takaro after its owner was deleted. Such an object is not deleted.
func (o Outside) stray(id string, ended []Ended, owned func(Object) bool) bool {
	returned := o.Lapses.Returned(id)
	if returned.IsZero() {
		return false
	}
	for _, one := range ended {
		if owned(one.Object) {
			return one.At.Before(returned.Add(Aftermath))
		}
	}
	return true
}
