// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"maps"
	"slices"
	"time"
)

// presence is what one live look at a namespace told.
type presence int

const (
	// unknown: the look failed, which is no evidence of anything.
	unknown presence = iota
	// alive: the API server has the namespace.
	alive
	// absent: the API server answered that there is no such namespace.
	absent
)

// look is one live look at a namespace.
type look struct {
	presence presence
	at       time.Time
}

const (
	// smallMass is how many namespaces may always go in one round.
	smallMass = 10
	// massShare is the part of all namespaces with objects of ours that may always go in one round: one in so many.
	massShare = 10
)

// policy says how careful a sweep is.
type policy struct {
	// wait is the least time between the first and the last look at an absent namespace.
	wait time.Duration
	// allowed is how many namespaces may go in one round because the operators said so; 0: they said nothing.
	allowed int
}

// verdict is what follows from one round of looks.
type verdict struct {
	// due are the namespaces whose objects may be deleted, by name.
	due []string
	// held is the number of absent namespaces when there are more of them than limit: then none is due. Otherwise 0.
	held int
	// limit is how many may go in one round.
	limit int
	// firstAbsent is when each absent namespace was first seen so, for the next round.
	firstAbsent map[string]time.Time
}

// decide judges one round. firstAbsent is that of the round before; looks has every namespace that holds objects which
// nobody deletes yet; holding is the number of namespaces that hold any object of ours.
//
// All absent namespaces count against the limit, also those that are not due: what vanishes together is seen together,
// though not at the same moment.
func (p policy) decide(firstAbsent map[string]time.Time, looks map[string]look, holding int) verdict {
	v := verdict{limit: max(smallMass, holding/massShare, p.allowed), firstAbsent: map[string]time.Time{}}
	gone := 0
	for _, namespace := range slices.Sorted(maps.Keys(looks)) {
		look := looks[namespace]
		first, before := firstAbsent[namespace]
		switch {
		case look.presence == absent && !before:
			v.firstAbsent[namespace] = look.at
			gone++
		case look.presence == absent:
			v.firstAbsent[namespace] = first
			gone++
			if look.at.Sub(first) >= p.wait {
				v.due = append(v.due, namespace)
			}
		case look.presence == unknown && before:
			v.firstAbsent[namespace] = first
		}
	}
	if gone > v.limit {
		v.due, v.held = nil, gone
	}
	return v
}
