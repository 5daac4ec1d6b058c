// SPDX-License-Identifier: Apache-2.0

// Package netguard is the dialer of all engines. At dial time, it rejects resolved addresses that a URL from a tenant must
// not reach.
package netguard
