// SPDX-License-Identifier: Apache-2.0

// Package reference renders one page for each API group that the server serves: every kind with its
// verbs, columns and fields. The content comes from the published types (comments, tags), their
// defaulting functions and the storage that serves them, so that a new kind or group has a page
// without a change here.
package reference
