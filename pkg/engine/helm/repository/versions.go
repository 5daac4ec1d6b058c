// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"slices"

	"roadstead.dev/roadstead/pkg/engine/semver"
)

// newestFirst returns the versions sorted in descending order, without invalid versions and duplicates.
func newestFirst(texts []string) []string {
	versions := slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		_, err := semver.Parse(text)
		return err != nil
	})
	slices.SortFunc(versions, func(a, b string) int { return semver.Compare(b, a) })
	return slices.Compact(versions)
}
