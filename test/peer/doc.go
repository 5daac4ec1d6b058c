// SPDX-License-Identifier: Apache-2.0

// Package peer implements Roadstead's kinds a second time, as a team without an aggregated API
// server would: as CustomResourceDefinitions with the schema that Roadstead's server publishes, the
// validation that a schema and CEL can express, the same columns and status subresource, and a
// validating webhook for the rules that read other objects.
package peer
