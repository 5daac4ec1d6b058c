// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Observed is what one check has read: the cluster first, then etcd. The record is written after etcd, so a store that is
// behind the record cannot be explained by the order of the reads.
type Observed struct {
	// HostRead reports whether the record, the anchors and the Lease were read.
	HostRead bool
	// Record is nil if the ConfigMap has none. RecordInvalid is the reason why it cannot be read.
	Record        *storeidentity.Record
	RecordInvalid string
	// Anchored reports whether an APIService has an anchor, Anchor is the one with the highest epoch. An anchor that cannot
	// be read counts as one of epoch 0.
	Anchored bool
	Anchor   storeidentity.Anchor
	// ClusterUID is the UID of namespace kube-system.
	ClusterUID types.UID
	// Nonce is that of the pending request to accept a store, "" without a request.
	Nonce string
	// OtherHolder reports whether another holder has renewed the Lease within its duration.
	OtherHolder bool

	// StoreRead reports whether etcd answered.
	StoreRead bool
	Store     Store
	// Bound is the epoch that the process is bound to, nil if it is not bound. A bound process has compared the store with
	// what it knows before Decide is called.
	Bound *storeidentity.Anchor
}

// Store is the identity of the store in etcd.
type Store struct {
	// Marked reports whether the store has an identity.
	Marked bool
	storeidentity.Anchor
	// Nonce is that of the request by which the epoch began, "" for the first one.
	Nonce string
	Tick  int64
	// Legacy reports whether the identity was written by a version without epochs. It counts as the first epoch.
	Legacy bool
	// Restored is the mark of the command restore.
	Restored bool
	// Older reports whether a version without epochs found the store to be an older copy.
	Older bool
	// Objects reports whether anything but marks is stored.
	Objects       bool
	Revision      int64
	EtcdClusterID string
}

// Action is what follows from a check.
type Action string

// Actions.
const (
	// Wait means that the next check tries again.
	Wait Action = "Wait"
	// Refuse means that an administrator has to act.
	Refuse Action = "Refuse"
	// Begin means to mark the store and create the record.
	Begin Action = "Begin"
	// Continue means to go on with an acceptance that has reached the store.
	Continue Action = "Continue"
	// Migrate means to write the first epoch into a store of a version without epochs.
	Migrate Action = "Migrate"
	// Bind means that the store is the recorded one.
	Bind Action = "Bind"
	// Keep means that a bound process goes on.
	Keep Action = "Keep"
	// CreateRecord and RewriteRecord mean the same, and that the record is restored from memory.
	CreateRecord  Action = "CreateRecord"
	RewriteRecord Action = "RewriteRecord"
	// Exit means that the epoch of a bound process is over.
	Exit Action = "Exit"
)

// Verdict is the outcome of a check.
type Verdict struct {
	State  State
	Action Action
}

// Decide returns what follows from a check. The order of the cases counts.
func Decide(o Observed) Verdict {
	switch {
	case !o.HostRead:
		return Verdict{HostUnknown, Wait}
	case !o.StoreRead:
		return Verdict{StoreUnreachable, Wait}
	case o.Bound != nil:
		return decideBound(o)
	case o.Nonce != "" && o.Store.Marked && o.Store.Nonce == o.Nonce:
		return Verdict{Accepting, Continue}
	case o.RecordInvalid != "":
		return Verdict{RecordInvalid, Refuse}
	case o.Record == nil && !o.Anchored && !o.Store.Objects:
		return Verdict{FirstStart, Begin}
	case o.Record == nil:
		return Verdict{RecordMissing, Refuse}
	case o.Record.ClusterUID != o.ClusterUID:
		return Verdict{ClusterForeign, Refuse}
	}
	if state := compare(o.Store, *o.Record, o.Anchor); state != Serving {
		return Verdict{state, Refuse}
	}
	switch {
	case o.OtherHolder:
		return Verdict{StoreInUse, Wait}
	case o.Store.Legacy:
		return Verdict{Unchecked, Migrate}
	default:
		return Verdict{Serving, Bind}
	}
}

// compare returns how a store differs from the record and the highest anchor, Serving if it does not.
func compare(s Store, r storeidentity.Record, a storeidentity.Anchor) State {
	switch {
	case !s.Marked && s.Objects:
		return StoreUnmarked
	case !s.Marked:
		return StoreEmpty
	case s.StoreID != r.StoreID, a.Epoch == s.Epoch && a.StoreID != s.StoreID:
		return StoreForeign
	case s.Epoch < max(r.Epoch, a.Epoch):
		return StoreOlder
	case s.Epoch > r.Epoch:
		return RecordOlder
	case s.Restored, r.EtcdClusterID != "" && s.EtcdClusterID != r.EtcdClusterID:
		return StoreRestored
	case s.Older, s.Tick < r.Tick, s.Revision < r.Revision:
		return StoreOlder
	default:
		return Serving
	}
}

// decideBound follows from the cluster only a valid record of another acceptance, and the holder of
// the Lease. All other changes may be caused by a backup tool or a mistake, which must not stop all
// replicas.
func decideBound(o Observed) Verdict {
	s, r, bound := o.Store, o.Record, *o.Bound
	switch {
	case !s.Marked || s.Anchor != bound:
		return Verdict{StoreForeign, Exit}
	case r != nil && (r.Epoch > bound.Epoch || r.Epoch == bound.Epoch && r.StoreID != bound.StoreID):
		return Verdict{StoreForeign, Exit}
	case o.OtherHolder:
		return Verdict{StoreInUse, Exit}
	case r == nil && o.RecordInvalid == "":
		return Verdict{Serving, CreateRecord}
	case r == nil, r.Epoch < bound.Epoch, r.ClusterUID != o.ClusterUID, r.EtcdClusterID != s.EtcdClusterID,
		r.Tick > s.Tick, r.Revision > s.Revision, o.Nonce != "" && o.Nonce == s.Nonce:
		return Verdict{Serving, RewriteRecord}
	default:
		return Verdict{Serving, Keep}
	}
}
