// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

var update = flag.Bool("update", false, "Write the golden files.")

// golden compares with a file below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "if this is better: go test ./pkg/engine/crd/report -update")
}

func textOf(t *testing.T, document Document, options TextOptions) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Text(&out, document, options))
	return out.String()
}

func TestTextForAPerson(t *testing.T) {
	back := rules.NewReport(finding("CRD-403", func(f *rules.Finding) { f.Message = "." }))
	several := rules.NewReport(append(mixed().Findings,
		finding("CRD-S01", func(f *rules.Finding) { f.CRD, f.Message = "gadgets.example.com", "It is rendered no more." }),
		finding("CRD-404", func(f *rules.Finding) { f.CRD, f.Path = "tools.example.com", ".spec.x" }))...)
	safe := rules.NewReport(finding("CRD-403", func(f *rules.Finding) { f.Version, f.Path, f.Old, f.New = "v1", ".spec.title", "63", "253" }))
	for name, document := range map[string]Document{
		"mixed":    {Report: mixed(), Names: []string{widgets}},
		"thousand": {Report: thousand(), Names: []string{widgets}},
		"several": {Report: several, Names: []string{widgets, "gadgets.example.com", "tools.example.com", "quiet.example.com"},
			Notes: []string{"quiet.example.com is new"}},
		"safe":     {Report: safe, Names: []string{widgets}},
		"rollback": {Report: safe, Rollback: &several, Names: []string{widgets, "gadgets.example.com", "tools.example.com"}},
		"nothing":  {Report: rules.NewReport(), Rollback: &back, Names: []string{widgets}},
	} {
		for _, width := range []int{80, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				golden(t, fmt.Sprintf("%s-%d.txt", name, width), textOf(t, document, TextOptions{Width: width}))
			})
		}
	}
}

func TestAThousandChangesAreAtMostFortyLinesWorstFirst(t *testing.T) {
	for _, width := range []int{0, 20, 60, 80, 120, 200} {
		text := textOf(t, Document{Report: thousand(), Names: []string{widgets}}, TextOptions{Width: width})
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		assert.LessOrEqual(t, len(lines), 40, "width %d:\n%s", width, text)
		var worst []rules.Verdict
		for _, line := range lines {
			if match := regexp.MustCompile(`^(X|B!|B|R|S) +CRD-`).FindStringSubmatch(line); match != nil {
				worst = append(worst, rules.Verdict(match[1]))
			}
		}
		require.NotEmpty(t, worst)
		for i := 1; i < len(worst); i++ {
			assert.True(t, worst[i-1].AtLeast(worst[i]), "%v", worst)
		}
	}
}

func TestManyRulesAreAtMostFortyLines(t *testing.T) {
	var all []rules.Finding
	for _, rule := range rules.All {
		all = append(all, finding(rule.Code(), func(f *rules.Finding) {
			f.Path, f.Message = ".spec.x", strings.Repeat("much is said of this. ", 12)
		}))
	}
	text := textOf(t, Document{Report: rules.NewReport(all...), Names: []string{widgets}}, TextOptions{Width: 80})
	assert.LessOrEqual(t, strings.Count(text, "\n"), 40, text)
	assert.Contains(t, text, "more changes of")
}

func TestLinesFitWhereWordsAllow(t *testing.T) {
	for _, line := range strings.Split(textOf(t, Document{Report: mixed(), Names: []string{widgets}}, TextOptions{Width: 80}), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 80, line)
	}
}

func TestColorsChangeNothingButColors(t *testing.T) {
	document := Document{Report: mixed(), Names: []string{widgets}}
	plain, coloured := textOf(t, document, TextOptions{Width: 80}), textOf(t, document, TextOptions{Width: 80, Color: true})
	assert.NotContains(t, plain, "\x1b")
	assert.Contains(t, coloured, "\x1b[")
	assert.Equal(t, plain, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""))
}

func TestInformationalFindingsAreNotShown(t *testing.T) {
	report := rules.NewReport(finding("CRD-C01", func(f *rules.Finding) { f.Path = ".spec.title" }))
	assert.Equal(t, "OK  widgets.example.com: no action required\n", textOf(t, Document{Report: report, Names: []string{widgets}},
		TextOptions{}))
}

func TestTextIsTheSameEachTime(t *testing.T) {
	document := Document{Report: mixed(), Names: []string{widgets}}
	first := textOf(t, document, TextOptions{})
	for range 20 {
		require.Equal(t, first, textOf(t, document, TextOptions{}))
	}
}

func TestControlCharactersOfAManifestDoNotReachTheTerminal(t *testing.T) {
	report := rules.NewReport(finding("CRD-101", func(f *rules.Finding) {
		f.Path, f.Old, f.Message = ".spec.\x1b]0;x\x07", "\x1b[31mred", "gone\x1b[2J"
	}))
	assert.NotContains(t, textOf(t, Document{Report: report, Names: []string{"a\x1b[1m"}}, TextOptions{}), "\x1b")
}

func TestAFindingThatSaysNothingIsShown(t *testing.T) {
	report := rules.Report{Verdict: rules.Breaking, Findings: []rules.Finding{{Verdict: rules.Breaking}}}
	assert.Contains(t, textOf(t, Document{Report: report}, TextOptions{}), "changed")
	assert.Equal(t, "OK  0 CRDs: no action required\n", textOf(t, Document{}, TextOptions{}))
}
