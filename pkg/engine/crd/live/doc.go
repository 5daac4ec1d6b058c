// SPDX-License-Identifier: Apache-2.0

// Package live replays the objects in a cluster: each object is read, validated and applied under the
// new schema by the code of the API server, and failures that do not occur under the old schema are
// counted. It does not write to the cluster.
package live
