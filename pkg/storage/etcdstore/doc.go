// SPDX-License-Identifier: Apache-2.0

// Package etcdstore makes the storage of all resources on one etcd client. The generic server's own factory dials once for
// each resource; here they share the connections and, beside an embedded member, call it without any. It also lets a
// record be stored together with a new object, or neither of them.
package etcdstore
