// SPDX-License-Identifier: Apache-2.0

// Package structure compares two schemas of a CustomResourceDefinition.
//
// Each schema is normalized first: allOf and alternatives with a single branch are folded into their
// node, values are decoded, and unordered lists become sets. Then both schemas are walked together.
// What a node keeps decides what is pruned. What a node requires decides what becomes invalid, unless
// every value that was valid before is proved to satisfy the requirement.
package structure
