// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// parseVersion reads a semantic version, strictly but for a leading v.
func parseVersion(text string) (*semver.Version, error) {
	return semver.StrictNewVersion(strings.TrimPrefix(text, "v"))
}

// sameVersion tells whether two texts are one version, build metadata included.
func sameVersion(a, b string) bool {
	return strings.TrimPrefix(a, "v") == strings.TrimPrefix(b, "v")
}

// CompareVersions orders two versions by precedence, and what has the same by its text. What is no version comes first.
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

// newestFirst sorts versions and drops what is none, and what is there twice.
func newestFirst(texts []string) []string {
	versions := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		_, err := parseVersion(text)
		return err != nil
	})
	slices.SortFunc(versions, func(a, b string) int { return CompareVersions(b, a) })
	return slices.Compact(versions)
}

// Range is a set of versions, as ">=1.14.0 <2.0.0".
type Range struct{ constraint *semver.Constraints }

// ParseRange reads a range in the form that Helm knows (Masterminds/semver). A prerelease is in a range only if the range
// names one.
func ParseRange(text string) (Range, error) {
	constraint, err := semver.NewConstraint(text)
	if err != nil {
		return Range{}, fmt.Errorf("%q is no range of versions such as \">=1.14.0 <2.0.0\"", text)
	}
	return Range{constraint}, nil
}

// Holds tells whether a version is in the range; what is no version is in none.
func (r Range) Holds(version string) bool {
	parsed, err := parseVersion(version)
	return err == nil && r.constraint != nil && r.constraint.Check(parsed)
}
