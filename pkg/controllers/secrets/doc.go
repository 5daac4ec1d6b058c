// SPDX-License-Identifier: Apache-2.0

// Package secrets is how controllers read, write and protect Secrets. The cache holds metadata only: the contents of all
// Secrets of a cluster do not belong into a controller's memory.
package secrets
