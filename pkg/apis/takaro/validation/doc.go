// SPDX-License-Identifier: Apache-2.0

// Package validation contains the rules of the group takaro.roadstead.dev that declarative
// validation cannot express: addresses, names of Secret keys, and rules across fields. Lengths,
// ranges, enums and immutable fields are markers in v1alpha1.
package validation
