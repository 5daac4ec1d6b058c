// SPDX-License-Identifier: Apache-2.0

// Package secrets contains how controllers read, write and protect Secrets. The cache contains only
// metadata, because the controller must not hold the contents of all Secrets of a cluster in
// memory.
package secrets
