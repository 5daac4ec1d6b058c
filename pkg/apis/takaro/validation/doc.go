// SPDX-License-Identifier: Apache-2.0

// Package validation holds the rules of the group takaro.roadstead.dev that declarative validation cannot express:
// addresses, names of Secret keys, and rules across fields. Lengths, ranges, enums and immutable fields are tags in
// v1alpha1.
package validation
