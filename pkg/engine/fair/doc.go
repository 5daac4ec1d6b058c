// SPDX-License-Identifier: Apache-2.0

// Package fair shares a limited resource between groups, so that a group with many items does not
// delay the others. Its types are pure: they hold no goroutines, locks or clocks.
package fair
