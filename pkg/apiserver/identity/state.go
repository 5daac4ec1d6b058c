// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// State says how store and record go together. Only Fits lets resource requests pass.
type State string

// States.
const (
	// Unchecked: the server has just started.
	Unchecked State = "Unchecked"
	// StoreUnreachable: etcd does not answer.
	StoreUnreachable State = "StoreUnreachable"
	// HostUnreachable: the record cannot be read, and was not read before by this process.
	HostUnreachable State = "HostUnreachable"
	// FirstStart: nothing of ours is in the store, and the host knows of none. An id and a record are made.
	FirstStart State = "FirstStart"
	// Fits: the store is the one of the record and not behind it.
	Fits State = "Fits"
	// StoreEmpty: the record names a store, but nothing of ours is in this one.
	StoreEmpty State = "StoreEmpty"
	// StoreUnmarked: objects are in the store, but no id.
	StoreUnmarked State = "StoreUnmarked"
	// RecordMissing: the store has an id and objects, but the host has no record.
	RecordMissing State = "RecordMissing"
	// RecordDamaged: the ConfigMap cannot be read as a record.
	RecordDamaged State = "RecordDamaged"
	// StoreForeign: the record names another store.
	StoreForeign State = "StoreForeign"
	// ClusterForeign: the record was made in another cluster.
	ClusterForeign State = "ClusterForeign"
	// StoreRestored: the store was restored from a backup, which nobody has accepted yet.
	StoreRestored State = "StoreRestored"
	// StoreOlder: the store was seen at a higher revision; it is an older copy.
	StoreOlder State = "StoreOlder"
)

// states are all values of the metric.
var states = []State{Unchecked, StoreUnreachable, HostUnreachable, FirstStart, Fits, StoreEmpty, StoreUnmarked, RecordMissing,
	RecordDamaged, StoreForeign, ClusterForeign, StoreRestored, StoreOlder}

// Seen is what a check found.
type Seen struct {
	// StoreID is the id in the store, "" when there is none.
	StoreID string
	// Objects tells whether anything else of ours is in the store.
	Objects bool
	// Restored tells whether the store was restored from a backup that was not accepted yet.
	Restored bool
	// Revision is the store's present one.
	Revision int64
	// Older tells whether this store was found to be an older copy before, and not accepted since.
	Older bool
	// Record is what the host knows, nil when it knows of no store.
	Record *storeidentity.Record
	// Damage says why the ConfigMap is no record, "" when it is one or when there is none.
	Damage string
	// ClusterUID is the UID of the host's namespace kube-system.
	ClusterUID types.UID
}

// Decide says how store and record go together: FirstStart, Fits, or a state in which requests are refused.
func Decide(seen Seen) State {
	if seen.Damage != "" {
		return RecordDamaged
	}
	if seen.Record == nil {
		return withoutRecord(seen)
	}
	switch {
	case seen.Record.ClusterUID != seen.ClusterUID:
		return ClusterForeign
	case seen.StoreID == "" && seen.Objects:
		return StoreUnmarked
	case seen.StoreID == "":
		return StoreEmpty
	case seen.StoreID != seen.Record.StoreID:
		return StoreForeign
	case seen.Restored:
		return StoreRestored
	case seen.Older || seen.Revision < seen.Record.Revision:
		return StoreOlder
	default:
		return Fits
	}
}

func withoutRecord(seen Seen) State {
	switch {
	case !seen.Objects:
		// An id alone is what a first start leaves that was cut short: it writes the store first. There is no object
		// whose loss could be overlooked, so it is safe to go on.
		return FirstStart
	case seen.StoreID == "":
		return StoreUnmarked
	default:
		return RecordMissing
	}
}
