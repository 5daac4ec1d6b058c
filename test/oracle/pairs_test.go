// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// pairsFolder contains a directory for each pair, and the verdicts.
const pairsFolder = "../../pkg/engine/crd/compare/testdata/pairs"

// pair is a change with a known verdict.
type pair struct {
	id, change string
	verdict    rules.Verdict
	old, new   *definition
}

func pairs(t *testing.T) []pair {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(pairsFolder, "verdicts.json"))
	require.NoError(t, err)
	var verdicts map[string]struct {
		Change  string        `json:"change"`
		Verdict rules.Verdict `json:"verdict"`
	}
	require.NoError(t, json.Unmarshal(raw, &verdicts))
	require.NotEmpty(t, verdicts)
	var all []pair
	for _, id := range slices.Sorted(maps.Keys(verdicts)) {
		all = append(all, pair{
			id: id, change: verdicts[id].Change, verdict: settled(verdicts[id].Verdict),
			old: read(t, filepath.Join(pairsFolder, id, "old.yaml")), new: read(t, filepath.Join(pairsFolder, id, "new.yaml")),
		})
	}
	return all
}

// settled returns the verdict on the published pair for a verdict that cannot be decided in
// general.
func settled(verdict rules.Verdict) rules.Verdict {
	switch verdict {
	case "B?":
		return rules.Breaking
	case "S?":
		return rules.Safe
	}
	return verdict
}

func read(t *testing.T, path string) *definition {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	read := &definition{}
	require.NoError(t, yaml.Unmarshal(raw, read), path)
	return read
}
