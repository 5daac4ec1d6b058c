// SPDX-License-Identifier: Apache-2.0

// Package peer makes our kinds a second time, as a team without an aggregated API server would: as
// CustomResourceDefinitions with the schema that our server publishes, the validation that a schema and CEL can express,
// the same columns and status subresource, and a validating webhook for the rules that look at other objects.
package peer
