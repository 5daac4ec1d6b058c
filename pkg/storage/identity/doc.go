// SPDX-License-Identifier: Apache-2.0

// Package identity ensures that a server serves only one epoch of one store. It compares the store
// with the information about it in the cluster (the record, the anchors and the Lease, see package
// storeidentity) and binds the server to the store if they agree. Until then every request is
// refused: a 404, or an empty list, would cause the cluster's garbage collector to delete what the
// objects own. A bound server keeps the information about its store in memory, and restores it in
// the cluster.
//
// The package assumes that any other information can be wrong: etcd may be replaced by another one
// or by an older copy at any time, the record and the annotations may be deleted or edited, and
// other servers of the installation may use a wrong store. A server therefore decides only about
// its own store, and writes nothing to a store or to the record before it is bound.
package identity
