// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
)

// summary returns the number of requests and results, so that a run without activity is not
// mistaken for a success.
func summary(writes []history.Write, attempts []check.Attempt) string {
	counts := map[string]int{}
	for _, w := range writes {
		counts[fmt.Sprintf("%s %s", w.Verb, w.Outcome)]++
	}
	for _, a := range attempts {
		what := "breaking CRD change"
		if a.Harmless {
			what = "harmless CRD change"
		}
		switch {
		case a.Passed:
			what += " passed"
		case a.Refused:
			what += " refused"
		default:
			what += " failed"
		}
		counts[what]++
	}
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		lines = append(lines, fmt.Sprintf("%d %s", counts[what], what))
	}
	return strings.Join(lines, ", ")
}
