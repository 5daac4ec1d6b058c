// SPDX-License-Identifier: Apache-2.0

// Package structure compares two schemas of a CustomResourceDefinition.
//
// Each schema is first normalized: allOf, and alternatives with one branch, are folded into their node, values are decoded,
// lists without order become sets. Then both are walked together. What a node keeps decides what is pruned; what it demands
// decides what becomes invalid, unless every value that was valid is proved to satisfy it.
package structure
