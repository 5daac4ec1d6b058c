// SPDX-License-Identifier: Apache-2.0

// Package storecmd contains the commands with which an administrator manages the store of an
// installation.
package storecmd
