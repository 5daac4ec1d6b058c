// SPDX-License-Identifier: Apache-2.0

// Package generic contains what the storage of all resources shares: the constructor of the store,
// the main and the status strategy, tables, and claims (atomic uniqueness).
package generic
