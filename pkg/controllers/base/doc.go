// SPDX-License-Identifier: Apache-2.0

// Package base contains what the controllers share: queue, back-off, metrics, and status reporting
// (Blocked, Reporter).
package base
