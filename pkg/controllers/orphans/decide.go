// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"maps"
	"slices"
	"time"
)

// presence is the result of one live read of a namespace.
type presence int

const (
	// unknown: the read failed, which is no evidence.
	unknown presence = iota
	// alive: the namespace exists in the API server.
	alive
	// absent: the API server responded that the namespace does not exist.
	absent
)

// look is one live read of a namespace.
type look struct {
	presence presence
	at       time.Time
	// deleted is set if this process observed the namespace as Terminating.
	deleted bool
}

// verdict is the result of one round. All names are sorted.
type verdict struct {
	// deleted contains the namespaces that were certainly deleted.
	deleted []string
	// unseen contains the namespaces that have been absent for as long, but whose deletion was not
	// observed.
	unseen []string
	// notAlive contains all namespaces whose deletion was not observed and which were not found.
	notAlive []string
	// firstAbsent is when each absent namespace was first found absent, for the next round.
	firstAbsent map[string]time.Time
}

// decide judges one round. wait is the minimum time between the first and the last read of an
// absent namespace. firstAbsent is the result of the previous round. looks contains every namespace
// that contains objects.
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
