// SPDX-License-Identifier: Apache-2.0

// Package reference writes one page for each API group that the server serves: every kind with its verbs, columns and fields.
// What it says comes from the published types (comments, tags), their defaulting functions and the storage that serves them,
// so that a kind or group that is added has a page without a change here.
package reference
