// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// pair is a change with the verdict that was determined by the behavior of the API server.
type pair struct {
	id, verdict string
	old, new    *apiextensionsv1.CustomResourceDefinition
}

// readPairs reads testdata/pairs.
func readPairs(t testing.TB) []pair {
	t.Helper()
	folder := filepath.Join("testdata", "pairs")
	content, err := os.ReadFile(filepath.Join(folder, "verdicts.json"))
	require.NoError(t, err)
	verdicts := map[string]struct{ Change, Verdict string }{}
	require.NoError(t, json.Unmarshal(content, &verdicts))
	require.Len(t, verdicts, 146)
	var pairs []pair
	for _, id := range slices.Sorted(maps.Keys(verdicts)) {
		pairs = append(pairs, pair{
			id: id, verdict: verdicts[id].Verdict,
			old: readDefinition(t, filepath.Join(folder, id, "old.yaml")), new: readDefinition(t, filepath.Join(folder, id, "new.yaml")),
		})
	}
	return pairs
}

func readDefinition(t testing.TB, file string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	definition := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict(content, definition), file)
	return definition
}

func TestCompare_PairVerdicts(t *testing.T) {
	for _, pair := range readPairs(t) {
		t.Run(pair.id, func(t *testing.T) {
			report := Compare(pair.old, pair.new, Options{})
			switch {
			case pair.id == "D19":
				// The column needs a review; the removal of its field is a finding of its own.
				assert.Equal(t, rules.Destructive, report.Verdict)
				assert.Equal(t, rules.Review, requireFinding(t, report, "CRD-D19").Verdict)
			case pair.verdict == "B?":
				assert.True(t, report.Verdict.Breaks(), "%+v", report)
			case pair.verdict == "S?":
				assert.Contains(t, []rules.Verdict{rules.Safe, rules.Breaking}, report.Verdict, "%+v", report)
			default:
				assert.Equal(t, rules.Verdict(pair.verdict), report.Verdict, "%+v", report)
			}
			if pair.verdict != string(rules.Informational) {
				requireFinding(t, report, "CRD-"+pair.id)
			}
		})
	}
}

func TestPairs_HaveRules(t *testing.T) {
	for _, pair := range readPairs(t) {
		rule, err := rules.ByCode("CRD-" + pair.id)
		require.NoError(t, err)
		want := rules.Verdict(pair.verdict[:len(pair.verdict)-len(question(pair.verdict))])
		if question(pair.verdict) != "" {
			want = rules.Breaking
		}
		assert.Equal(t, want, rule.Verdict, pair.id)
		assert.Equal(t, question(pair.verdict) != "", rule.Provable, pair.id)
	}
}

func question(verdict string) string {
	if verdict[len(verdict)-1] == '?' {
		return "?"
	}
	return ""
}

func TestCompare_NoChange(t *testing.T) {
	for _, pair := range readPairs(t) {
		for _, definition := range []*apiextensionsv1.CustomResourceDefinition{pair.old, pair.new} {
			same := definition.DeepCopy()
			same.Labels, same.Annotations = map[string]string{"a": "b"}, map[string]string{"c": "d"}
			report := Compare(definition, same, Options{})
			if pair.verdict == string(rules.Refused) || pair.id == "803" { // One side of these the API server does not have.
				assert.NotContains(t, []rules.Verdict{rules.Safe, rules.Review, rules.Breaking, rules.Destructive}, report.Verdict, pair.id)
				continue
			}
			assert.Empty(t, report.Findings, pair.id)
			assert.Equal(t, rules.Informational, report.Verdict, pair.id)
		}
	}
}

func TestCompare_DoesNotModifyInputs(t *testing.T) {
	for _, pair := range readPairs(t) {
		old, new := pair.old.DeepCopy(), pair.new.DeepCopy()
		Compare(pair.old, pair.new, Options{})
		Reverse(pair.old, pair.new, Options{})
		require.Equal(t, old, pair.old, pair.id)
		require.Equal(t, new, pair.new, pair.id)
	}
}

func encodeReport(t testing.TB, report rules.Report) string {
	t.Helper()
	encoded, err := json.Marshal(report)
	require.NoError(t, err)
	return string(encoded)
}

func TestCompare_Deterministic(t *testing.T) {
	old, new := everyExample(t)
	first := encodeReport(t, Compare(old, new, Options{}))
	for range 100 {
		require.Equal(t, first, encodeReport(t, Compare(old, new, Options{})))
	}
	for _, pair := range readPairs(t) {
		first := encodeReport(t, Compare(pair.old, pair.new, Options{}))
		for range 3 {
			require.Equal(t, first, encodeReport(t, Compare(pair.old, pair.new, Options{})), pair.id)
		}
	}
}

// shuffled changes the order of everything whose order has no meaning.
func shuffled(random *rand.Rand, definition *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	definition = definition.DeepCopy()
	shuffle(random, definition.Spec.Versions)
	shuffle(random, definition.Spec.Names.ShortNames)
	shuffle(random, definition.Status.StoredVersions)
	for _, version := range definition.Spec.Versions {
		shuffle(random, version.SelectableFields)
		if version.Schema != nil {
			shuffleSchema(random, version.Schema.OpenAPIV3Schema)
		}
	}
	return definition
}

func shuffle[T any](random *rand.Rand, all []T) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}

func shuffleSchema(random *rand.Rand, schema *apiextensionsv1.JSONSchemaProps) {
	if schema == nil {
		return
	}
	shuffle(random, schema.Enum)
	shuffle(random, schema.Required)
	for name, property := range schema.Properties {
		shuffleSchema(random, &property)
		schema.Properties[name] = property
	}
	if schema.Items != nil {
		shuffleSchema(random, schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		shuffleSchema(random, schema.AdditionalProperties.Schema)
	}
	for _, branches := range [][]apiextensionsv1.JSONSchemaProps{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for i := range branches {
			shuffleSchema(random, &branches[i])
		}
	}
	shuffleSchema(random, schema.Not)
}

func TestCompare_IgnoresOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	old, new := everyExample(t)
	for _, pair := range append(readPairs(t), pair{id: "all", old: old, new: new}) {
		want := Compare(pair.old, pair.new, Options{})
		for range 5 {
			got := Compare(shuffled(random, pair.old), shuffled(random, pair.new), Options{})
			require.Equal(t, want.Verdict, got.Verdict, pair.id)
			require.Equal(t, want.Findings, got.Findings, pair.id)
		}
	}
}

func TestReverse_Pairs(t *testing.T) {
	for _, pair := range readPairs(t) {
		report := Reverse(pair.old, pair.new, Options{})
		requireConsistent(t, report)
		if pair.verdict == string(rules.Informational) {
			assert.False(t, report.Verdict.Breaks(), "%s: %+v", pair.id, report)
		}
	}
}
