// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// parseVersion parses a semantic version, strictly except for a leading v.
func parseVersion(text string) (*semver.Version, error) {
	return semver.StrictNewVersion(strings.TrimPrefix(text, "v"))
}

// sameVersion reports whether two texts are the same version, including build metadata.
func sameVersion(a, b string) bool {
	return strings.TrimPrefix(a, "v") == strings.TrimPrefix(b, "v")
}

// CompareVersions compares two versions by precedence, and those of equal precedence by their text. Invalid versions are the lowest.
func CompareVersions(a, b string) int {
	left, noLeft := parseVersion(a)
	right, noRight := parseVersion(b)
	switch {
	case noLeft != nil && noRight != nil:
		return cmp.Compare(a, b)
	case noLeft != nil:
		return -1
	case noRight != nil:
		return 1
	}
	return cmp.Or(left.Compare(right), cmp.Compare(a, b))
}

// newestFirst returns the versions sorted in descending order, without invalid versions and duplicates.
func newestFirst(texts []string) []string {
	versions := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		_, err := parseVersion(text)
		return err != nil
	})
	slices.SortFunc(versions, func(a, b string) int { return CompareVersions(b, a) })
	return slices.Compact(versions)
}

// Range is a set of versions, such as ">=1.14.0 <2.0.0".
type Range struct{ constraint *semver.Constraints }

// ParseRange parses a range in the syntax of Helm (Masterminds/semver). A prerelease is in a range only if the range
// contains a prerelease.
func ParseRange(text string) (Range, error) {
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return Range{}, fmt.Errorf("%q is not a range of versions such as \">=1.14.0 <2.0.0\"", text)
	}
	return Range{constraint}, nil
}

// Holds reports whether a version is in the range. Invalid versions are in no range.
func (r Range) Holds(version string) bool {
	parsed, err := parseVersion(version)
	return err == nil && r.constraint != nil && r.constraint.Check(parsed)
}
