// SPDX-License-Identifier: Apache-2.0

// Package cli is what the command lines of our programs share: logging flags, flags from the environment, the namespace
// of the installation.
package cli
