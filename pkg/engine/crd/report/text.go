// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const (
	// defaultWidth is the width of lines in columns if none is set.
	defaultWidth = 100
	// narrowest is the minimum width of lines.
	narrowest = 40
	// budget is the maximum number of lines for the findings of one CRD. The findings of several CRDs share twice as many.
	budget = 36
	// leastBudget is the minimum number of lines for each of many CRDs.
	leastBudget = 8
)

// TextOptions are the options of Text.
type TextOptions struct {
	// Color enables ANSI colors.
	Color bool
	// Width is the maximum width of lines in columns; 100 if 0, at least 40. Paths are not broken.
	Width int
}

// text writes the parts of a document.
type text struct {
	style
	width int
	lines []string
}

// Text writes a document for users: a line with the verdict, and the findings in descending order of severity. For rules with
// many findings it shows three of them. It counts findings that do not fit. Informational findings are not shown.
func Text(w io.Writer, document Document, options TextOptions) error {
	t := &text{style: style(options.Color), width: options.Width}
	if t.width <= 0 {
		t.width = defaultWidth
	}
	t.width = max(t.width, narrowest)
	acts := t.report(document.Report, document.Names, budget)
	if document.Rollback != nil {
		t.line("")
		t.line(t.bold("Rollback") + ": reverting the change, with objects that were written after it")
		acts = t.report(*document.Rollback, document.Names, budget/2) || acts
	}
	for i, note := range document.Notes {
		if i == 0 {
			t.line("")
		}
		t.line(wrap("Note: "+clean(note), "", "", t.width)...)
	}
	if acts {
		t.line("", t.dim("For details of a rule, run: roadstead-crdcheck explain <CODE>"))
	}
	_, err := io.WriteString(w, strings.Join(t.lines, "\n")+"\n")
	return err
}

func (t *text) line(lines ...string) { t.lines = append(t.lines, lines...) }

// report writes a report, and reports whether it requires action.
func (t *text) report(report rules.Report, names []string, budget int) bool {
	all := blocks(report.Findings)
	shown := slices.DeleteFunc(slices.Clone(all), func(b *blockOf) bool { return b.verdict == rules.Informational })
	if len(shown) == 0 {
		t.verdict(rules.Informational, subject(names), "no action required")
		return false
	}
	if len(names) > 1 || len(shown) > 1 {
		total := map[rules.Verdict]int{}
		for _, block := range shown {
			for verdict, n := range block.counts {
				total[verdict] += n
			}
		}
		t.verdict(report.Verdict, fmt.Sprintf("%d of %s", len(shown), subject(names)), t.sum(report.Verdict, total))
		t.line("")
		budget = max(2*budget/len(shown), leastBudget)
	}
	for i, block := range shown {
		if i > 0 {
			t.line("")
		}
		t.verdict(block.verdict, block.crd, t.sum(block.verdict, block.counts))
		t.block(block, budget)
	}
	return report.Verdict.AtLeast(rules.Review)
}

func (t *text) sum(worst rules.Verdict, counts map[rules.Verdict]int) string {
	if !worst.AtLeast(rules.Review) {
		return fmt.Sprintf("no action required; %s", countOf(counts[rules.Safe], "change is safe", "changes are safe"))
	}
	return tally(counts)
}

func (t *text) verdict(verdict rules.Verdict, subject, what string) {
	first := word(verdict) + "  "
	lines := wrap(subject+": "+what, first, strings.Repeat(" ", len(first)), t.width)
	lines[0] = t.style.verdict(verdict, word(verdict)) + strings.TrimPrefix(lines[0], word(verdict))
	t.line(lines...)
}

func subject(names []string) string {
	if len(names) == 1 {
		return clean(names[0])
	}
	return countOf(len(names), "CRD", "CRDs")
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
