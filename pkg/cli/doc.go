// SPDX-License-Identifier: Apache-2.0

// Package cli is shared by the command lines of Roadstead: logging flags, flags from the
// environment, the namespace of the installation.
package cli
