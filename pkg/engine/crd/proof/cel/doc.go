// SPDX-License-Identifier: Apache-2.0

// Package cel proves simple statements about CEL validation rules from their text: that old rules imply
// a new one, that a rule holds if the fields that it guards are missing, and which fields a rule reads.
//
// Nothing is claimed without a proof; "false" means "not proved". CEL has three outcomes, true, false and
// error, and a rule that fails to evaluate counts as violated. All proofs are therefore about two facts of
// an expression, "evaluates to true" and "evaluates to false", which exclude each other but need not cover
// all cases. `&&`, `||`, `!`, `?:`, `all` and `exists` are exact in these terms: `a || b` is true if one of
// the operands is true, regardless of the other.
//
// Rules must be valid for the API server: they compile against their schema. All work is bounded by the size
// of the rules and by step limits.
package cel
