// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGoalsSpeakOfTheRatioOrOfOurValue(t *testing.T) {
	for name, c := range map[string]struct {
		row   Row
		holds string
	}{
		"at most, met":     {Row{Ratio: spread([]float64{0.5}), Goal: atMost(ofRatio, 0.5)}, "yes"},
		"at most, missed":  {Row{Ratio: spread([]float64{0.51}), Goal: atMost(ofRatio, 0.5)}, "no"},
		"at least, met":    {Row{Ratio: spread([]float64{2}), Goal: atLeast(2)}, "yes"},
		"at least, missed": {Row{Ratio: spread([]float64{1.9}), Goal: atLeast(2)}, "no"},
		"of ours":          {Row{Ours: spread([]float64{2.5}), Ratio: spread([]float64{9}), Goal: atMost(ofOurs, 3)}, "yes"},
		"no goal":          {Row{Ratio: spread([]float64{9})}, "–"},
		"no value":         {Row{Goal: atMost(ofRatio, 1)}, "–"},
		"failed requests": {Row{Ratio: spread([]float64{0.1}), Goal: atMost(ofRatio, 1), Requests: 7, Failed: 2},
			"invalid: 2 of 7 requests failed"},
		"a problem of its own": {Row{Ratio: spread([]float64{0.1}), Goal: atMost(ofRatio, 1), Failed: 2,
			Problem: "too slow"}, "invalid: too slow"},
	} {
		c.row.judge()
		assert.Equal(t, c.holds, c.row.cells().holds, name)
	}
}

func TestResultsAreReadAsTheyWereWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	none, err := readResults(path)
	require.NoError(t, err)
	require.Nil(t, none)
	results := &Results{Command: "make bench", Rows: []Row{{Measure: "m", Ours: spread([]float64{1, 2})}}}
	require.NoError(t, results.write(path))
	read, err := readResults(path)
	require.NoError(t, err)
	require.Equal(t, results, read)
}

func TestSelection(t *testing.T) {
	selected, how, err := selection("")
	require.NoError(t, err)
	require.Len(t, selected, len(measures))
	require.Equal(t, wholePlan, how)
	selected, how, err = selection("short,list get")
	require.NoError(t, err)
	require.Equal(t, shortPlan, how)
	require.Len(t, selected, 3, "and what makes the objects")
	require.Equal(t, []string{needed, "get", "list"}, []string{selected[0].name, selected[1].name, selected[2].name})
	_, _, err = selection("lists")
	require.ErrorContains(t, err, `"lists"`)
	require.ErrorContains(t, err, "fill, create")
}

// TestPlansHaveObjectsEnough checks that the plans create enough objects for the measures that read
// each of them only once by name.
func TestPlansHaveObjectsEnough(t *testing.T) {
	for _, how := range []plan{wholePlan, shortPlan} {
		b := &bed{plan: how}
		assert.LessOrEqual(t, b.taken(how.Reads), how.Objects)
		assert.LessOrEqual(t, 2*b.taken(how.Singles), how.Objects)
		assert.Zero(t, how.Objects%how.Turns)
		assert.Zero(t, how.Watchers%how.Places)
	}
}
