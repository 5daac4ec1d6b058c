// SPDX-License-Identifier: Apache-2.0

// Package regex decides whether everything that one regular expression matches is matched by another.
//
// Expressions are those of Go's regexp package, as the `pattern` of an OpenAPI schema is validated: a value matches if
// any part of it does. Both expressions are compiled to their automata, made deterministic while they are walked side by
// side, and the walk looks for a value that tells them apart. All three answers are exact: an inclusion that is proved
// holds for every string, a refutation comes with a value that was tried on both expressions, and what costs more than
// the limits of this package allow is left open. The limits count steps, never time, so that an answer is the same on
// every machine.
package regex
