// SPDX-License-Identifier: Apache-2.0

// Package base is what every controller shares: its queue, its back-off and its metrics.
package base
