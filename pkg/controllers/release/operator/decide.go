// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"maps"
	"slices"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/semver"
)

// version is an OperatorVersion that exists or is to be created.
type version struct {
	name, version string
	// discovered is set if the controller created the version, or is to create it. Other versions
	// belong to users, or to a tool that applies them from Git and would create them again.
	discovered bool
}

// plan contains the OperatorVersions to create, the lowest first, and those that exceed the limit.
type plan struct{ create, surplus []version }

// slot is a name that an OperatorVersion has or may get.
type slot struct {
	version
	there bool
	// rank is the highest version with the name: versions that differ only in case, or in the
	// separator of the build metadata, share a name. Without rank, two such versions would replace
	// each other repeatedly.
	rank string
}

// decide is a pure function of the existing versions, the versions of the repository to discover,
// and the number of versions to keep, which are the highest of both. A version that would be
// deleted again immediately is therefore never created. Versions that the controller did not create
// count towards the limit, and are never surplus.
func decide(operator string, existing []version, discovered []string, limit int) plan {
	byName := map[string]*slot{}
	for _, one := range existing {
		byName[one.name] = &slot{version: one, there: true, rank: one.version}
	}
	for _, text := range discovered {
		name := release.OperatorVersionName(operator, text)
		known := byName[name]
		switch {
		case known == nil:
			byName[name] = &slot{version: version{name, text, true}, rank: text}
		case semver.Compare(text, known.rank) > 0:
			known.rank = text
			if !known.there {
				known.version.version = text
			}
		}
	}
	all := slices.SortedFunc(maps.Values(byName), func(a, b *slot) int {
		return cmp.Or(semver.Compare(b.rank, a.rank), cmp.Compare(a.name, b.name))
	})
	var decided plan
	for n, one := range slices.Backward(all) {
		switch isKept := n < limit; {
		case isKept && !one.there:
			decided.create = append(decided.create, one.version)
		case !isKept && one.there && one.discovered:
			decided.surplus = append(decided.surplus, one.version)
		}
	}
	return decided
}

// wanted returns the versions to discover. A range that cannot be parsed, which the API server
// rejects, matches none.
func wanted(discover string, versions []string) []string {
	switch discover {
	case "", v1alpha1.DiscoverNone:
		return nil
	case v1alpha1.DiscoverAll:
		return versions
	}
	within, err := semver.ParseRange(discover)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(versions), func(version string) bool { return !within.Holds(version) })
}

// latest returns the highest version, or "" if there is none.
func latest(existing []version) string {
	highest := ""
	for _, one := range existing {
		if highest == "" || semver.Compare(one.version, highest) > 0 {
			highest = one.version
		}
	}
	return highest
}
