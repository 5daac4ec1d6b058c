// SPDX-License-Identifier: Apache-2.0

// Package cel proves simple things of CEL validation rules from their text alone: that rules which held before
// imply a new one, that a rule holds wherever the fields are missing that it guards, and which fields a rule reads.
//
// Nothing is ever claimed without a proof; "no" means "not proved". CEL has three outcomes, true, false and error, and a
// rule that fails to evaluate counts as violated. So all proofs are about two facts of an expression, "evaluates to true"
// and "evaluates to false", which exclude each other but need not cover all. `&&`, `||`, `!`, `?:`, `all` and `exists`
// are exact in these terms: `a || b` is true if one of both is true, whatever the other does.
//
// Rules are taken to be such as the API server accepts: they compile against the schema they stand in. All work is
// bounded by the size of the rules and by counted steps.
package cel
