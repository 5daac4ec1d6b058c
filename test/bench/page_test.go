// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThePageIsThatOfTheResults(t *testing.T) {
	results, err := readResults("results.json")
	require.NoError(t, err)
	require.NotNil(t, results, "run make bench")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "performance.md"))
	require.NoError(t, err)
	written, err := rewritten(string(page), results)
	require.NoError(t, err)
	require.Equal(t, written, string(page), "run: go run ./test/bench page")
}

func TestOnlyTheBlockIsWritten(t *testing.T) {
	results := &Results{Command: "make bench", Rows: []Row{
		{Measure: "get|p50", Variant: "JSON", Unit: "ms", Ours: spread([]float64{1, 2, 3}), CRD: spread([]float64{4}),
			Ratio: spread([]float64{0.5}), Goal: atMost(ofRatio, 1.3), Note: "a < b"},
	}}
	results.Rows[0].judge()
	written, err := rewritten("before\n"+beginMark+"\nSTALE\n"+endMark+"\nafter\n", results)
	require.NoError(t, err)
	require.Contains(t, written, `| get\|p50 | JSON | ms | 2 (1–3) | 4 | 0.5× | ≤ 1.3× | yes |`)
	require.Contains(t, written, "a &lt; b")
	require.NotContains(t, written, "STALE")
	require.Regexp(t, `^before\n`, written)
	require.Regexp(t, `\nafter\n$`, written)
	again, err := rewritten(written, results)
	require.NoError(t, err)
	require.Equal(t, written, again)
	_, err = rewritten("nothing", results)
	require.ErrorContains(t, err, "has no line")
	_, err = rewritten(beginMark, results)
	require.ErrorContains(t, err, "has no line")
}
