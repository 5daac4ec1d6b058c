// SPDX-License-Identifier: Apache-2.0

// Package identity makes sure that a server answers from one epoch of one store only. It compares the store with what the
// cluster knows of it (the record, the anchors and the Lease, see package storeidentity) and binds the server to the store
// when they agree. Until then every request is refused: an answer of 404, or an empty list, would let the cluster's garbage
// collector delete what the objects own. A bound server keeps what it knows of its store, and restores it in the cluster.
//
// The package assumes that others forget and lie: etcd may be replaced by another one or by an older copy at any time, the
// record and the annotations may be deleted or edited, and other servers of the installation may use a wrong store. A server
// therefore judges only its own store, and writes nothing to a store or to the record before it is bound.
package identity
