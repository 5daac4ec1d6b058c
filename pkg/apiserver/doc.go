// SPDX-License-Identifier: Apache-2.0

// Package apiserver assembles roadstead-apiserver: the scheme of all groups, and the generic API server with the storage
// of every enabled group.
package apiserver
