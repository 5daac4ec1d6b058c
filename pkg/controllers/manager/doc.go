// SPDX-License-Identifier: Apache-2.0

// Package manager is the process roadstead-controller: its options, what its controllers share, and their start.
package manager
