// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"cmp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Version is a version of an operator.
type Version struct {
	// Name of the object.
	Name string
	// Version is a semantic version, with or without a leading v.
	Version string
}

// VersionName is what the OperatorVersion of a version must be called: the operator's name, a hyphen and the version, in
// lower case and with + as -.
func VersionName(operator, version string) string {
	return strings.ToLower(operator + "-" + strings.ReplaceAll(version, "+", "-"))
}

// SchemaName is what the CRDSchema of a definition that an OperatorVersion brings must be called.
func SchemaName(operatorVersion, crd string) string { return operatorVersion + "." + crd }

// Lower returns, of all versions, those that are lower than the given one, newest first: in their order a definition is
// looked for that the one of the given version is compared with. What is no semantic version is left out. Builds of one
// version (1.2.3+a, 1.2.3+b) are equal, so none is lower than the other.
func Lower(version string, all []Version) []Version {
	own, err := semver.NewVersion(version)
	if err != nil {
		return nil
	}
	type parsed struct {
		Version
		number *semver.Version
	}
	var lower []parsed
	for _, one := range all {
		if number, err := semver.NewVersion(one.Version); err == nil && number.LessThan(own) {
			lower = append(lower, parsed{one, number})
		}
	}
	slices.SortFunc(lower, func(a, b parsed) int {
		return cmp.Or(b.number.Compare(a.number), cmp.Compare(a.Name, b.Name))
	})
	found := make([]Version, 0, len(lower))
	for _, one := range lower {
		found = append(found, one.Version)
	}
	return found
}
