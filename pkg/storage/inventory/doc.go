// SPDX-License-Identifier: Apache-2.0

// Package inventory lists all objects in etcd at one revision. It bypasses the watch caches and the
// checks of the store, because an administrator that decides about a refused store must see the
// contents of that store, and not what a cache contains of another one.
//
// Only metadata is decoded. It is field 1 of every kind, so kinds that this release does not know are listed too, and fields
// that are never shown do not leave the decoder.
package inventory
