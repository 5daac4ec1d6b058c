// SPDX-License-Identifier: Apache-2.0

// Package epoch checks every response of etcd against one timeline.
//
// An etcd can be replaced while a server runs: by an older backup, by another cluster, by an empty one. Neither the
// cluster id nor the revision shows that by itself: a copy has the same id, and its revision can grow past the one
// it was copied at. Two marks in the store close this gap. The epoch names the store and never changes while the
// store is in use. The tick is a number that rises after writes, so an older copy has a lower one.
//
// A Timeline is bound once to the store that the server has decided to use. From then on
//   - each read is one transaction with the marks, and its answer must be of the bound timeline,
//   - each write compares the marks in the same transaction, so another store does not accept it,
//   - each watch stream is checked with a read before its first message is delivered.
//
// An answer that does not fit is never delivered. It ends the use of the store in this process: every later call
// fails.
//
// Not detected are a copy that is younger than the last tick if it has outgrown what this process knows, and
// endpoints that belong to two clusters with the same id. A store that differs only by its cluster id, or by a lower
// revision at the same tick, can accept one write: the comparisons cannot express these, so that write is detected
// when its answer arrives.
package epoch
