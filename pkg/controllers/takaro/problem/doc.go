// SPDX-License-Identifier: Apache-2.0

// Package problem says why the work on an object stopped, in words for its conditions, and when it goes on.
package problem
