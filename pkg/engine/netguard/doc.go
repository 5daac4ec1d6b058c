// SPDX-License-Identifier: Apache-2.0

// Package netguard is the one dialer of every engine: it refuses, at dial time and on the resolved
// address, what a URL written by a tenant must not reach.
package netguard
