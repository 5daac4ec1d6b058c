// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// block writes the groups of a CRD into a number of lines, in descending order of severity: in full, as long as the others fit;
// then without who is affected and how to fix it; then one line for each, and the number of those that do not fit.
func (t *text) block(block *blockOf, budget int) {
	groups := slices.DeleteFunc(slices.Clone(block.groups), func(g *group) bool { return g.verdict == rules.Informational })
	least := make([]int, len(groups)+1) // lines that the groups from this one on need
	for i := len(groups) - 1; i >= 0; i-- {
		least[i] = least[i+1] + 1
		if groups[i].verdict.Breaks() {
			least[i] += len(t.short(groups[i]))
		}
	}
	shortened := false
	for i, one := range groups {
		others := min(least[i+1], max(budget-len(groups), 0)/2+len(groups)-i)
		lines := append([]string{""}, t.full(one)...)
		if i > 0 && (shortened || len(lines)+others > budget) {
			shortened = true
			lines = append([]string{""}, t.short(one)...)
		}
		if !one.verdict.AtLeast(rules.Review) || i > 0 && len(lines)+len(groups)-i > budget {
			t.brief(groups[i:], budget)
			return
		}
		t.line(lines...)
		budget -= len(lines)
	}
}

// brief writes a line for each group that fits, and one with the number of the others.
func (t *text) brief(groups []*group, budget int) {
	t.line("")
	room := max(budget-1, 1)
	shown := groups
	if len(groups) > room {
		shown = groups[:room-1]
	}
	for _, one := range shown {
		t.line(t.single(one))
	}
	if rest := groups[len(shown):]; len(rest) > 0 {
		n := 0
		for _, one := range rest {
			n += len(one.entries)
		}
		changes := countOf(n, "more change", "more changes")
		t.line(fmt.Sprintf("    and %s of %s; to show all, use -o json", changes, countOf(len(rest), "rule", "rules")))
	}
}
