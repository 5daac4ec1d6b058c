// SPDX-License-Identifier: Apache-2.0

// Package generic is what the storage of every resource shares: the store constructor, the main and the status
// strategy, tables, and claims (atomic uniqueness).
package generic
