// SPDX-License-Identifier: Apache-2.0

// Package etcdstore creates the storage of all resources with one etcd client. The factory of the
// generic server connects once for each resource; here the resources share the connections, and
// call an embedded member without any. The package also stores a new object and its claims in one
// transaction.
package etcdstore
