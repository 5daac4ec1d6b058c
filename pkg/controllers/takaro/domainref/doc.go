// SPDX-License-Identifier: Apache-2.0

// Package domainref is what the controllers of all kinds share whose objects refer to a Domain: how they find it, belong to
// it, and wake with it.
package domainref
