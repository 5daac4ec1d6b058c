// SPDX-License-Identifier: Apache-2.0

// Package domainref contains what the controllers share whose objects refer to a Domain: how they
// find it, become owned by it, and watch it.
package domainref
