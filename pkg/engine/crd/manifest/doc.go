// SPDX-License-Identifier: Apache-2.0

// Package manifest reads CustomResourceDefinitions as the API server does: with the defaults that it fills in, the status
// that it would write, and every schema within a schema.
package manifest
