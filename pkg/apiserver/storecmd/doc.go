// SPDX-License-Identifier: Apache-2.0

// Package storecmd holds the commands by which an administrator deals with the store of an installation.
package storecmd
