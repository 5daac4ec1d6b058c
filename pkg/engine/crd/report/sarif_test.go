// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func sarifOf(t *testing.T, document Document) (sarifLog, []byte) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, SARIF(&out, document, "v1.2.3"))
	var log sarifLog
	decoder := json.NewDecoder(bytes.NewReader(out.Bytes()))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&log))
	return log, out.Bytes()
}

// TestSARIFHasWhatTheFormatAsksFor: what the schema of SARIF 2.1.0 and its text require of the parts that are written.
func TestSARIFHasWhatTheFormatAsksFor(t *testing.T) {
	back := thousand()
	place := func(crd string) (string, int) {
		if crd == widgets {
			return "config/crd bases/w.yaml", 17
		}
		return "", 0
	}
	report := rules.NewReport(append(mixed().Findings, rules.Finding{CRD: "x.example.com", Code: "CRD-unknown", Verdict: rules.Review,
		Change: "something"})...)
	log, _ := sarifOf(t, Document{Report: report, Rollback: &back, Place: place})
	assert.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs, 2)
	assert.Len(t, log.Runs[0].Results, len(report.Findings))
	assert.Len(t, log.Runs[1].Results, 1000)
	assert.NotEqual(t, log.Runs[0].AutomationDetails.ID, log.Runs[1].AutomationDetails.ID, "runs of one tool are told apart by it")
	for _, run := range log.Runs {
		assert.Equal(t, []any{"roadstead-crdcheck", "v1.2.3"}, []any{run.Tool.Driver.Name, run.Tool.Driver.Version})
		seen := map[string]bool{}
		for _, rule := range run.Tool.Driver.Rules {
			assert.False(t, seen[rule.ID], "ids are unique")
			seen[rule.ID] = true
			assert.NotEmpty(t, rule.ShortDescription.Text)
			assert.Contains(t, []string{"error", "warning", "note"}, rule.Configuration.Level)
			parsed, err := url.Parse(rule.HelpURI)
			require.NoError(t, err)
			assert.True(t, parsed.IsAbs())
			assert.Equal(t, rules.DocsURL(rule.ID), rule.HelpURI)
		}
		prints := map[string]bool{}
		for _, result := range run.Results {
			require.Less(t, result.RuleIndex, len(run.Tool.Driver.Rules))
			assert.Equal(t, result.RuleID, run.Tool.Driver.Rules[result.RuleIndex].ID)
			assert.NotEmpty(t, result.Message.Text)
			require.Len(t, result.Locations, 1)
			require.Len(t, result.Locations[0].Logical, 1)
			prints[result.Fingerprints["finding/v1"]] = true
		}
		assert.Len(t, prints, len(run.Results), "findings are told apart in the next run")
	}
}

func TestWhereSARIFSaysThatAFindingIs(t *testing.T) {
	report := rules.NewReport(
		finding("CRD-101", func(f *rules.Finding) { f.Version, f.Path, f.Message = "v1", ".spec.size", "It vanishes." }),
		finding("CRD-C01", func(f *rules.Finding) { f.CRD, f.FixHint = "x.example.com", "" }))
	for name, test := range map[string]struct {
		file string
		line int
		want *sarifPhysical
	}{
		"relative": {"a b/w.yaml", 17, &sarifPhysical{Artifact: sarifArtifact{URI: "a%20b/w.yaml"}, Region: &sarifRegion{StartLine: 17}}},
		"absolute": {"/a/w.yaml", 0, &sarifPhysical{Artifact: sarifArtifact{URI: "file:///a/w.yaml"}}},
		"unknown":  {"", 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			log, _ := sarifOf(t, Document{Report: report, Place: func(string) (string, int) { return test.file, test.line }})
			results := log.Runs[0].Results
			assert.Equal(t, test.want, results[0].Locations[0].Physical)
			assert.Equal(t, sarifLogical{Name: ".spec.size", Full: "widgets.example.com/v1/.spec.size", Kind: "member"},
				results[0].Locations[0].Logical[0])
			assert.Equal(t, "It vanishes. Fix: Keep the old form for a release, let clients move, and only then change it.", results[0].Message.Text)
			assert.Equal(t, "error", results[0].Level)
			assert.Equal(t, "note", results[1].Level)
			assert.Equal(t, results[1].Message.Text, report.Findings[1].Change, "a message is never empty")
		})
	}
}

func TestAnEmptySARIFHasItsLists(t *testing.T) {
	_, text := sarifOf(t, Document{Report: rules.NewReport()})
	assert.Contains(t, string(text), `"results": []`)
	assert.Contains(t, string(text), `"rules": []`)
}

func TestJSONIsAReport(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, JSON(&out, Document{Report: mixed(), Names: []string{widgets}, Notes: []string{"x"}}))
	var report rules.Report
	decoder := json.NewDecoder(bytes.NewReader(out.Bytes()))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&report))
	assert.Equal(t, mixed(), report)
	assert.Contains(t, out.String(), "self.replicas <= self.maxReplicas", "signs are not escaped")

	out.Reset()
	require.NoError(t, JSON(&out, Document{}))
	assert.JSONEq(t, `{"verdict":"","findings":[]}`, out.String())
}
