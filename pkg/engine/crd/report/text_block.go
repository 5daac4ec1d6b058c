// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// block writes the groups of a definition into a number of lines: in full from the worst on, as long as there is room for
// the others; then in short, without who is hit and what to do; then a line for each, and a count of what is left over.
func (t *text) block(block *blockOf, budget int) {
	groups := slices.DeleteFunc(slices.Clone(block.groups), func(g *group) bool { return g.verdict == rules.Informational })
	least := make([]int, len(groups)+1) // lines that the groups from one on ask for
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

// brief writes a line for each group, as many as fit, and one that counts the rest.
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
		t.line(fmt.Sprintf("    and %s by %s; -o json shows all", countOf(n, "more change", "more changes"), countOf(len(rest), "rule", "rules")))
	}
}
