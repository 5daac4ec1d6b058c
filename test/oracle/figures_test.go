// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// kind classifies changes by what a check should do with them.
type kind int

const (
	breaking kind = iota // B, B!, X: must be reported
	harmless             // S, I: must not be reported
	review               // R: nothing is refused, so a check may do either
)

func kindOf(verdict rules.Verdict) kind {
	switch {
	case verdict.Breaks():
		return breaking
	case verdict == rules.Review:
		return review
	}
	return harmless
}

// alsoBreaks are the pairs to review that contain more than the change of their name: D19 is about
// a printer column, whose field is removed too.
var alsoBreaks = []string{"D19"}

// TestFiguresOfEachTool prints, with -v, how many changes each tool reports, and which it judges
// incorrectly.
func TestFiguresOfEachTool(t *testing.T) {
	all := append([]tool{{"roadstead", roadstead}}, tools()...)
	total, flagged := map[kind]int{}, make([]map[kind]int, len(all))
	wrong, panicked := make([][]string, len(all)), make([][]string, len(all))
	var reviewed []string
	for i := range all {
		flagged[i] = map[kind]int{}
	}
	for _, pair := range pairs(t) {
		kind := kindOf(pair.verdict)
		total[kind]++
		for i, tool := range all {
			complaints, panic := tool.run(pair.old, pair.new)
			if len(complaints) > 0 {
				flagged[i][kind]++
			}
			if panic != "" {
				panicked[i] = append(panicked[i], pair.id)
			}
			if i == 0 && kind == review && len(complaints) > 0 {
				reviewed = append(reviewed, pair.id)
			}
			if kind == breaking && len(complaints) == 0 || kind == harmless && len(complaints) > 0 {
				wrong[i] = append(wrong[i], pair.id)
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-30s %18s %18s %18s\n", "", "breaking caught", "harmless flagged", "review flagged")
	for i, tool := range all {
		fmt.Fprintf(&table, "%-30s %11d of %3d %11d of %3d %11d of %3d\n", tool.name,
			flagged[i][breaking], total[breaking], flagged[i][harmless], total[harmless], flagged[i][review], total[review])
	}
	for i, tool := range all {
		fmt.Fprintf(&table, "%s: judged wrongly %v, panicked on %v\n", tool.name, wrong[i], panicked[i])
	}
	t.Log(table.String())

	require.NotZero(t, total[breaking])
	assert.Equal(t, total[breaking], flagged[0][breaking], "changes that break and are not reported as such")
	assert.Zero(t, flagged[0][harmless], "changes that are harmless and reported as breaking")
	assert.Equal(t, alsoBreaks, reviewed, "changes to review that are reported as breaking")
	assert.Empty(t, panicked[0])
	for i, tool := range all[1:] {
		// A tool without any complaint indicates an error of this test.
		assert.NotZero(t, flagged[i+1][breaking], tool.name)
	}
}

// roadstead is pkg/engine/crd as a tool. Its complaints are the breaking findings.
func roadstead(old, new *definition) (complaints []complaint, panicked string) {
	defer recovered(&panicked)
	for _, finding := range compare.Compare(old, new, compare.Options{}).Findings {
		if finding.Verdict.Breaks() {
			complaints = append(complaints, complaint{check: finding.Code, version: finding.Version, path: finding.Path, text: finding.Message})
		}
	}
	return complaints, ""
}
