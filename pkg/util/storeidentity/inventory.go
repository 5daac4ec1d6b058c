// SPDX-License-Identifier: Apache-2.0

package storeidentity

import "k8s.io/apimachinery/pkg/types"

// InventoryPath is where a server lists all objects in its etcd at one revision, past every cache and also while it refuses
// the store. The answer is JSON, a line each: one InventoryHeader, an InventoryObject for each object, one InventoryEnd.
const InventoryPath = "/apis/release.roadstead.dev/v1alpha1/storeinventories"

// TakaroInventoryPath is the same of the other API group. An installation serves one of the groups or both, and kube-apiserver
// forwards only paths of those that are served.
const TakaroInventoryPath = "/apis/takaro.roadstead.dev/v1alpha1/storeinventories"

// StateServing is the state of a server that uses its store. Any other state is the reason of a refusal.
const StateServing = "Serving"

// InventoryHeader describes the store that the server observes.
type InventoryHeader struct {
	// StoreID is "" if the store has none.
	StoreID string `json:"storeID,omitempty"`
	Epoch   int64  `json:"epoch,omitempty"`
	Tick    int64  `json:"tick,omitempty"`
	// Revision is the one at which the objects are listed.
	Revision      int64  `json:"revision"`
	EtcdClusterID string `json:"etcdClusterID"`
	State         string `json:"state"`
	// Embedded reports whether the etcd runs inside the server, which then raises the revision by itself.
	Embedded bool `json:"embedded,omitempty"`
	// RecordedRevision is the revision in the record, 0 without a record.
	RecordedRevision int64 `json:"recordedRevision,omitempty"`
}

// InventoryObject is one stored object.
type InventoryObject struct {
	Group     string    `json:"group"`
	Resource  string    `json:"resource"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid,omitempty"`
	// Error is why the object cannot be read; it then has no UID.
	Error string `json:"error,omitempty"`
}

// InventoryEnd is the last line. An answer without it is incomplete.
type InventoryEnd struct {
	Count int `json:"count"`
}
