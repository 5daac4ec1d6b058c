// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"slices"

	"github.com/Masterminds/semver/v3"
)

// Version is a version of an operator.
type Version struct {
	// Name of the object.
	Name string
	// Operator is the name of the Operator that the version is of.
	Operator string
	// Version is a semantic version, with or without a leading v.
	Version string
	// Manual says that its CRDSchemas are created by users and not by the controller.
	Manual bool
	// Deleting says that the object is being deleted.
	Deleting bool
	// Accepted are the names of its CRDs if the version was accepted once: each of them had a CRDSchema then.
	Accepted []string
}

// Lower returns, of all versions, those that are lower than the given one, newest first: in their order a definition is
// looked for that the one of the given version is compared with. What is no semantic version is left out. Builds of one
// version (1.2.3, v1.2.3, 1.2.3+a) have the same precedence and are ordered by their text: if none were lower than the other,
// a second build would not be compared with the first.
func Lower(version string, all []Version) []Version {
	own, err := semver.NewVersion(version)
	if err != nil {
		return nil
	}
	return newestFirst(all, func(one *semver.Version) bool { return order(one, own) < 0 })
}

// Predecessors returns the versions whose definition of a CRD a new version may follow, in the order in which they are looked
// at: the lower versions of its Operator, and then the accepted versions of other Operators that bring the same CRD. A cluster
// has one definition of a CRD, whoever brings it, and a second Operator for the same chart must not begin with a definition
// that breaks what the first one brought.
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
	return append(Lower(of.Version, own), newestFirst(others, func(*semver.Version) bool { return true })...)
}

func order(a, b *semver.Version) int {
	return cmp.Or(a.Compare(b), cmp.Compare(a.Original(), b.Original()))
}

// newestFirst returns the semantic versions among all that are kept.
func newestFirst(all []Version, keep func(*semver.Version) bool) []Version {
	type parsed struct {
		Version
		number *semver.Version
	}
	var kept []parsed
	for _, one := range all {
		if number, err := semver.NewVersion(one.Version); err == nil && keep(number) {
			kept = append(kept, parsed{one, number})
		}
	}
	slices.SortFunc(kept, func(a, b parsed) int { return cmp.Or(order(b.number, a.number), cmp.Compare(a.Name, b.Name)) })
	found := make([]Version, 0, len(kept))
	for _, one := range kept {
		found = append(found, one.Version)
	}
	return found
}
