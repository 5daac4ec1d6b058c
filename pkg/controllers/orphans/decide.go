// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"maps"
	"slices"
	"time"
)

// presence is what one live read of a namespace showed.
type presence int

const (
	// unknown: the read failed, which is no evidence of anything.
	unknown presence = iota
	// alive: the API server has the namespace.
	alive
	// absent: the API server answered that there is no such namespace.
	absent
)

// look is one live read of a namespace.
type look struct {
	presence presence
	at       time.Time
	// deleted: this process saw the namespace Terminating.
	deleted bool
}

// verdict is what follows from one round of looks. All names are sorted.
type verdict struct {
	// deleted are the namespaces that were deleted for certain.
	deleted []string
	// unseen are absent for as long, but nobody saw their deletion.
	unseen []string
	// notAlive are all namespaces whose deletion nobody saw and which were not found.
	notAlive []string
	// firstAbsent is when each absent namespace was first seen so, for the next round.
	firstAbsent map[string]time.Time
}

// decide judges one round. wait is the least time between the first and the last look at an absent
// namespace. firstAbsent is that of the round before; looks has every namespace that holds objects.
func decide(wait time.Duration, firstAbsent map[string]time.Time, looks map[string]look) verdict {
	v := verdict{firstAbsent: map[string]time.Time{}}
	for _, namespace := range slices.Sorted(maps.Keys(looks)) {
		look := looks[namespace]
		first, before := firstAbsent[namespace]
		if !before {
			first = look.at
		}
		if look.presence != alive && !look.deleted {
			v.notAlive = append(v.notAlive, namespace)
		}
		if look.presence == absent || look.presence == unknown && before {
			v.firstAbsent[namespace] = first
		}
		switch {
		case look.presence != absent || look.at.Sub(first) < wait:
		case look.deleted:
			v.deleted = append(v.deleted, namespace)
		default:
			v.unseen = append(v.unseen, namespace)
		}
	}
	return v
}
