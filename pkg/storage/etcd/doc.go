// SPDX-License-Identifier: Apache-2.0

// Package etcd runs a single etcd member inside the server's process: the store of an installation
// without an external etcd.
package etcd
