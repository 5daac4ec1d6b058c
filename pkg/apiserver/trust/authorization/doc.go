// SPDX-License-Identifier: Apache-2.0

// Package authorization asks the host cluster what a caller may do, remembers the answers for a while, and counts both.
package authorization
