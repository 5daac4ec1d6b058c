// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/semver"
)

// Version is a version of an operator.
type Version struct {
	// Name is the name of the object.
	Name string
	// Operator is the name of the Operator of the version.
	Operator string
	// Version is a semantic version, with or without a leading v.
	Version string
	// Manual is set if users, not the controller, create its CRDSchemas.
	Manual bool
	// Deleting is set if the object is being deleted.
	Deleting bool
	// Accepted are the names of its CRDs if the version was accepted once: each of them had a CRDSchema at that time.
	Accepted []string
}

// Lower returns the versions that are lower than the given one, newest first. The baseline of a CRD is
// searched in this order. Versions that are not semantic versions are omitted. Builds of one version
// (1.2.3, v1.2.3, 1.2.3+a) have the same precedence and are ordered by their text: if neither were lower,
// a second build would not be compared with the first.
func Lower(version string, all []Version) []Version {
	if _, err := semver.Parse(version); err != nil {
		return nil
	}
	return newestFirst(all, func(one Version) bool { return semver.Compare(one.Version, version) < 0 })
}

// Predecessors returns the versions whose CRD a new version may follow, in the order of the search: the
// lower versions of its Operator, and then the accepted versions of other Operators that contain the same
// CRD. A cluster has a single CRD of a name regardless of the Operator that installs it, so a second
// Operator for the same chart must not start with a CRD that breaks users of the first one.
func Predecessors(of Version, crd string, all []Version) []Version {
	var own, others []Version
	for _, one := range all {
		switch {
		case one.Operator == of.Operator:
			own = append(own, one)
		case slices.Contains(one.Accepted, crd):
			others = append(others, one)
		}
	}
	return append(Lower(of.Version, own), newestFirst(others, func(Version) bool { return true })...)
}

// newestFirst returns the valid versions for which keep returns true, newest first.
func newestFirst(all []Version, keep func(Version) bool) []Version {
	found := []Version{}
	for _, one := range all {
		if _, err := semver.Parse(one.Version); err == nil && keep(one) {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b Version) int {
		return cmp.Or(semver.Compare(b.Version, a.Version), cmp.Compare(a.Name, b.Name))
	})
	return found
}
