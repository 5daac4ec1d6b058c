// SPDX-License-Identifier: Apache-2.0

// Package manifest reads CustomResourceDefinitions as the API server does: with defaults, with the
// status that it would write, and with access to every subschema.
package manifest
