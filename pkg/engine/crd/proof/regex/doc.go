// SPDX-License-Identifier: Apache-2.0

// Package regex decides whether everything that one regular expression matches is matched by another.
//
// Expressions are those of Go's regexp package, as the API server uses them for the `pattern` of an OpenAPI
// schema: a value matches if any part of it does. Both expressions are compiled to automata, which are converted
// to deterministic ones on demand and traversed in parallel to find a value that distinguishes them. All answers are
// exact: a proved inclusion holds for every string, and a refutation has a value that was checked with both
// expressions. If the limits of the package are exceeded, the answer is open. The limits count steps, not
// time, so that the answer does not depend on the machine.
package regex
