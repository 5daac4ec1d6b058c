// SPDX-License-Identifier: Apache-2.0

// Package semver parses and orders versions of charts and operators: semantic versions (semver.org, 2.0.0) with or without
// a leading v, as Helm accepts them. It has the only order of versions in Roadstead: what the repository calls the newest
// version is also the last one that a CRD is compared with.
package semver

import (
	"cmp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Parse parses a semantic version, strictly except for a leading v: 1.2 is an error.
func Parse(text string) (*semver.Version, error) {
	return semver.StrictNewVersion(strings.TrimPrefix(text, "v"))
}

// Equal reports whether two texts are the same version, including build metadata.
func Equal(a, b string) bool {
	return strings.TrimPrefix(a, "v") == strings.TrimPrefix(b, "v")
}

// Compare compares two versions by precedence, and versions of equal precedence (1.2.3, v1.2.3, 1.2.3+a) by their text, so
// that the order is total. Invalid versions are the lowest.
func Compare(a, b string) int {
	left, leftErr := Parse(a)
	right, rightErr := Parse(b)
	switch {
	case leftErr != nil && rightErr != nil:
		return cmp.Compare(a, b)
	case leftErr != nil:
		return -1
	case rightErr != nil:
		return 1
	}
	return cmp.Or(left.Compare(right), cmp.Compare(a, b))
}
