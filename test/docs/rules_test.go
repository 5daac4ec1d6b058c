// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/cli/crdcheck"
	"roadstead.dev/roadstead/pkg/engine/crd/report"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// site is where the files of this repository are published, by path.
const site = "https://roadstead.dev/"

// published matches the addresses of pages of the documentation.
var published = regexp.MustCompile(regexp.QuoteMeta(site) + "docs/[A-Za-z0-9_./#-]*[A-Za-z0-9_/-]")

// assertPublished checks that a page exists in the repository, and that it has the anchor.
func assertPublished(t *testing.T, address, from string) {
	t.Helper()
	file, fragment, _ := strings.Cut(strings.TrimPrefix(address, site), "#")
	path := filepath.Join(root, filepath.FromSlash(file))
	if _, err := os.Stat(path); assertNoError(t, err, "%s links to %s", from, address) && fragment != "" {
		assert.Truef(t, anchors(t, path)[fragment], "%s links to %s, but %s has no such anchor", from, address, path)
	}
}

func TestEveryRuleHasAnAnchor(t *testing.T) {
	pages := map[string]string{}
	for _, family := range rules.Families {
		pages[family.Page] = read(t, filepath.Join(root, "docs", "rules", family.Page))
	}
	index := read(t, filepath.Join(root, "docs", "rules", "README.md"))
	for _, rule := range rules.All {
		page := rule.Family().Page
		heading := "\n<a id=\"" + rule.Anchor() + "\"></a>\n\n## " + rule.Code() + ": "
		assert.Equalf(t, 1, strings.Count(pages[page], heading), "%s on %s", rule.Code(), page)
		assert.Containsf(t, index, "\n| ["+rule.Code()+"]("+page+"#"+rule.Anchor()+") | ", "the index lacks %s", rule.Code())
	}
}

func TestCrdcheckExplainLinksToTheDocs(t *testing.T) {
	for _, rule := range rules.All {
		var out bytes.Buffer
		command := crdcheck.NewCommand()
		command.SetOut(&out)
		command.SetArgs([]string{"explain", rule.Code()})
		require.NoError(t, command.Execute())
		links := published.FindAllString(out.String(), -1)
		require.Lenf(t, links, 1, "explain %s: %s", rule.Code(), out.String())
		assertPublished(t, links[0], "explain "+rule.Code())
		assert.Contains(t, links[0], "#"+rule.Anchor())
	}
}

func TestSARIFLinksToTheDocs(t *testing.T) {
	findings := []rules.Finding{{CRD: "widgets.example.com", Code: "CRD-unknown", Verdict: rules.Review}}
	for _, rule := range rules.All {
		findings = append(findings, rule.Finding())
	}
	var out bytes.Buffer
	require.NoError(t, report.SARIF(&out, report.Document{Report: rules.NewReport(findings...)}, ""))
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID      string `json:"id"`
						HelpURI string `json:"helpUri"`
					} `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
		} `json:"runs"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &log))
	require.Len(t, log.Runs, 1)
	require.Len(t, log.Runs[0].Tool.Driver.Rules, len(findings))
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		assertPublished(t, rule.HelpURI, "helpUri of "+rule.ID)
	}
}

// TestLinksOfProgramsLeadSomewhere covers addresses that are literals in the sources.
func TestLinksOfProgramsLeadSomewhere(t *testing.T) {
	checked := 0
	for _, folder := range []string{"cmd", "pkg", "artifacts"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			for _, address := range published.FindAllString(string(content), -1) {
				checked++
				assertPublished(t, address, path)
			}
			return err
		}))
	}
	require.Greater(t, checked, 20, "the runbooks of the alerts and the pages of the rules")
}
