// SPDX-License-Identifier: Apache-2.0

package identity

import "roadstead.dev/roadstead/pkg/util/storeidentity"

// State is what the last check found. Requests are answered only in state Serving.
type State string

// States. Those of once-only Secrets are the reasons of a keeper.RefusedError.
const (
	// Unchecked means that the server has just started.
	Unchecked State = "Unchecked"
	// HostUnknown means that the record, the anchors or the Lease cannot be read, or that the Lease
	// cannot be renewed.
	HostUnknown State = "HostUnknown"
	// StoreUnreachable means that etcd does not answer and the server is not bound yet.
	StoreUnreachable State = "StoreUnreachable"
	// FirstStart means that neither the store nor the cluster know of an installation.
	FirstStart State = "FirstStart"
	// RecordInvalid means that the ConfigMap does not hold a valid record.
	RecordInvalid State = "RecordInvalid"
	// RecordMissing means that there is no record, although the store or an anchor shows that there was one.
	RecordMissing State = "RecordMissing"
	// ClusterForeign means that the record was written in another cluster.
	ClusterForeign State = "ClusterForeign"
	// StoreEmpty means that the store has no identity and no objects.
	StoreEmpty State = "StoreEmpty"
	// StoreUnmarked means that the store has objects and no identity.
	StoreUnmarked State = "StoreUnmarked"
	// StoreForeign means that the store is another one than that of the record.
	StoreForeign State = "StoreForeign"
	// StoreOlder means that the store is an older copy.
	StoreOlder State = "StoreOlder"
	// RecordOlder means that the store has a later epoch than the record.
	RecordOlder State = "RecordOlder"
	// StoreRestored means that the store was restored from a backup, or copied to another etcd cluster.
	StoreRestored State = "StoreRestored"
	// Accepting means that the acceptance of the store is being completed.
	Accepting State = "Accepting"
	// StoreInUse means that servers use another copy of the store.
	StoreInUse State = "StoreInUse"
	// SecretMissing and SecretReplaced mean that a once-only Secret lacks a value that is needed.
	SecretMissing  State = "SecretMissing"
	SecretReplaced State = "SecretReplaced"
	// Serving means that the server is bound to its store and answers.
	Serving State = storeidentity.StateServing
)

// states are all values of the metric.
var states = []State{Unchecked, HostUnknown, StoreUnreachable, FirstStart, RecordInvalid, RecordMissing, ClusterForeign, StoreEmpty,
	StoreUnmarked, StoreForeign, StoreOlder, RecordOlder, StoreRestored, Accepting, StoreInUse, SecretMissing, SecretReplaced,
	Serving}

// passing reports whether a state ends within a short time without an action of an administrator.
func passing(state State) bool {
	return state == Unchecked || state == FirstStart || state == Accepting
}

// acceptable reports whether an administrator can accept the store in a state.
func acceptable(state State) bool {
	switch state {
	case RecordInvalid, RecordMissing, ClusterForeign, StoreEmpty, StoreUnmarked, StoreForeign, StoreOlder, RecordOlder, StoreRestored:
		return true
	default:
		return false
	}
}
