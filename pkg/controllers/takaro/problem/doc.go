// SPDX-License-Identifier: Apache-2.0

// Package problem describes why the work on an object stopped, with messages for its conditions,
// and when it continues.
package problem
