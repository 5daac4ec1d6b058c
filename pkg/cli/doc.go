// SPDX-License-Identifier: Apache-2.0

// Package cli is what the command lines of our programs share: logging flags, and flags from the environment.
package cli
