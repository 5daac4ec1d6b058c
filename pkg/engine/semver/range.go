// SPDX-License-Identifier: Apache-2.0

package semver

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

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
	parsed, err := Parse(version)
	return err == nil && r.constraint != nil && r.constraint.Check(parsed)
}
