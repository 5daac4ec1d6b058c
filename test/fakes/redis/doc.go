// SPDX-License-Identifier: Apache-2.0

// Package redis runs a real redis-server on loopback for tests, with a password and with access
// control lists.
package redis
