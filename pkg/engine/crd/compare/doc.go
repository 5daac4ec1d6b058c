// SPDX-License-Identifier: Apache-2.0

// Package compare reports what a change of a CustomResourceDefinition breaks, for whom, and how to fix it.
//
// Everything but the replay of live objects is a pure function: two definitions go in, a Report of findings comes out,
// sorted and the same at every run. A finding carries the code of its rule (CRD-101); rules.All lists all of them, with the
// effects that were measured against k8s.io/apiextensions-apiserver.
//
// The passes, in the order in which they run:
//
//  1. refused: what the API server would refuse, by its own validation.
//  2. structure: the schema of each version that both definitions have, normalised and compared node by node.
//  3. versions: versions that come, go or change places, names, subresources, and conversion between what is served.
//  4. sets: the definitions of two bundles or charts.
//  5. live: the objects that a cluster holds, replayed against the new schema.
//  6. reverse: the same change backwards, for the plan of a rollback.
package compare
