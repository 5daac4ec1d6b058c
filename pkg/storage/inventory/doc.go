// SPDX-License-Identifier: Apache-2.0

// Package inventory lists all objects in etcd at one revision. It reads past the watch caches and past the checks of the
// store, because an administrator who decides about a store that the server refuses must see what that store holds, and not
// what a cache remembers of another one.
//
// Only metadata is decoded. It is field 1 of every kind, so kinds that this release does not know are listed too, and fields
// that are never shown do not leave the decoder.
package inventory
