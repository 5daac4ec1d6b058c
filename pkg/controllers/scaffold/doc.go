// SPDX-License-Identifier: Apache-2.0

// Package scaffold is what every controller shares: back-off, metrics, and how a status is written.
package scaffold
