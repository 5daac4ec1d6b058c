// SPDX-License-Identifier: Apache-2.0

// Package mockserver stores MockServers.
package mockserver
