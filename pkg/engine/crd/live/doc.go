// SPDX-License-Identifier: Apache-2.0

// Package live is the pass over the objects that a cluster holds: each is read, validated and applied under
// the new schema by the code of the API server itself, and what goes wrong that went well under the old schema is
// counted. It only reads.
package live
