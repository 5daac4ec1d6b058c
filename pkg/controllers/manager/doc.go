// SPDX-License-Identifier: Apache-2.0

// Package manager implements the process roadstead-controller: its options, the dependencies that
// its controllers share, and their start.
package manager
