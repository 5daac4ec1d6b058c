// SPDX-License-Identifier: Apache-2.0

// Package compare reports what a change of a CustomResourceDefinition breaks, which clients it affects, and how to fix it.
//
// Everything except the replay of live objects is a pure function: it takes two CRDs and returns a
// Report whose findings are sorted and identical in every run. A finding carries the code of its rule
// (CRD-101). rules.All lists all rules, with the effects that were measured against
// k8s.io/apiextensions-apiserver.
//
// The passes, in the order in which they run:
//
//  1. refused: what the API server rejects, according to its own validation.
//  2. structure: the schema of each version that both CRDs have, normalized and compared node by node.
//  3. versions: added, removed and reordered versions, names, subresources, and conversion between served versions.
//  4. sets: the CRDs of two bundles or charts.
//  5. live: the objects in a cluster, replayed against the new schema.
//  6. reverse: the same change in the opposite direction, to plan a rollback.
package compare
