// SPDX-License-Identifier: Apache-2.0

// Package base contains what controllers share: queue, back-off, metrics, and how they report on an object (Blocked, Reporter).
package base
