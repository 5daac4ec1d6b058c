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

// version is an OperatorVersion, there or to be made.
type version struct {
	name, version string
	// discovered is whether the controller created it, or is to create it. Others belong to users, or to a tool that applies
	// them from Git and would create them again.
	discovered bool
}

// plan is which OperatorVersions are to be made, the lowest first, and which are more than the limit.
type plan struct{ create, surplus []version }

// slot is a name that an OperatorVersion has or may get.
type slot struct {
	version
	there bool
	// rank is the highest version that has the name: versions that differ in case, or in how build metadata is separated,
	// share one. Without it, two of them would take turns.
	rank string
}

// decide is a pure function of the versions that are there, those of the repository that are to be discovered, and how many
// are kept: the highest of both. So nothing is made that would be deleted again at once. Versions that the controller did not
// create count, and are never surplus.
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

// wanted selects what is to be discovered. A range that cannot be read, which the API server refuses, selects nothing.
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

// latest is the highest version; empty where there is none.
func latest(existing []version) string {
	highest := ""
	for _, one := range existing {
		if highest == "" || semver.Compare(one.version, highest) > 0 {
			highest = one.version
		}
	}
	return highest
}
