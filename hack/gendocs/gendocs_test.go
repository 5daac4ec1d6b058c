// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/apiserver/storecmd"
	"roadstead.dev/roadstead/pkg/cli/crdcheck"
	"roadstead.dev/roadstead/pkg/controllers/manager"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const root = "../.."

func TestCommittedPagesAreFresh(t *testing.T) {
	pages, err := renderAll(root)
	require.NoError(t, err)
	for file, fresh := range pages {
		committed, err := os.ReadFile(filepath.Join(root, file))
		if assert.NoError(t, err, "go run ./hack/gendocs") {
			assert.Equal(t, string(fresh), string(committed), "%s is stale: go run ./hack/gendocs", file)
		}
	}
	stale, err := stalePages(root, pages)
	require.NoError(t, err)
	assert.Empty(t, stale, "pages of families that no longer exist: go run ./hack/gendocs")
}

func TestPagesAreTheSameEachTime(t *testing.T) {
	first, err := renderAll(root)
	require.NoError(t, err)
	for range 5 {
		again, err := renderAll(root)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

func TestStalePagesOfRulesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	stale := filepath.Join(folder, rulesFolder, "no-family.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(stale), 0o755))
	require.NoError(t, os.WriteFile(stale, []byte("stale"), 0o644))
	// Sources of pages that are generated from the checkout, not from the programs.
	for _, source := range []string{filepath.Dir(valuesFile), deployFolder} {
		require.NoError(t, os.CopyFS(filepath.Join(folder, source), os.DirFS(filepath.Join(root, source))))
	}
	require.NoError(t, os.RemoveAll(filepath.Join(folder, templatesFolder)))
	require.NoError(t, write(folder))
	require.NoFileExists(t, stale)
	for _, family := range rules.Families {
		require.FileExists(t, filepath.Join(folder, rulesFolder, family.Page))
	}
	require.FileExists(t, filepath.Join(folder, page))
}

func TestPagesOfRules(t *testing.T) {
	pages, err := renderRules()
	require.NoError(t, err)
	text := ruleSection(t, pages, "CRD-301")
	for _, part := range []string{
		"## CRD-301: enum value removed\n\nVerdict **B**: breaking. Affects: stored objects, writers.\n",
		"**What changed:** A value is removed", "**Who is affected:** Objects with a value",
		"| Create with the content of a stored object, such as a restore | rejected |\n",
		"Earlier versions of Kubernetes reject every update", "```diff\n enum:\n - a\n-- b\n type: string\n```\n", "**How to fix it:** ",
		"**How to allow the change:** If the effects are acceptable, [allow the change](../crd-guard.md#",
	} {
		assert.Contains(t, text, part)
	}
	assert.Contains(t, ruleSection(t, pages, "CRD-502"), "Verdict **B?**: breaking, unless the change is proved to be harmless. Affects: ")
	assert.Contains(t, ruleSection(t, pages, "CRD-512"), "This rule applies to Kubernetes 1.34 and later.")
	assert.Contains(t, ruleSection(t, pages, "CRD-417"), "[CRD-901](list-and-map-types.md#crd-901)", "a link to another page")
	assert.Contains(t, ruleSection(t, pages, "CRD-511"), "[CRD-501](#crd-501)", "a link within the page")
	assert.Contains(t, ruleSection(t, pages, "CRD-D01"), "You cannot allow this change")
	assert.NotContains(t, ruleSection(t, pages, "CRD-S01"), "**Example:**")
	assert.Contains(t, ruleSection(t, pages, "CRD-S09"), "Verdict **X**: the CRD must not be applied.")
	assert.Contains(t, string(pages[rulesFolder+"/README.md"]), "| [CRD-101](fields.md#crd-101) | **B!** | optional field removed |\n")
	for file, content := range pages {
		assert.NotContains(t, string(content), "\n\n\n", file)
		assert.NotContains(t, string(content), "<no value>", file)
	}
}

// ruleSection returns the section of a rule.
func ruleSection(t *testing.T, pages map[string][]byte, code string) string {
	t.Helper()
	rule, err := rules.ByCode(code)
	require.NoError(t, err)
	_, text, found := strings.Cut(string(pages[rulesFolder+"/"+rule.Family().Page]), `<a id="`+rule.Anchor()+`"></a>`)
	require.True(t, found, "%s has no anchor", code)
	text, _, _ = strings.Cut(text, "<a id=")
	return text
}

func TestCopyOfTheAlertsIsTheSpecAlone(t *testing.T) {
	pages, err := renderMonitoring(root)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, monitoringFolder, "prometheusrule.yaml"))
	require.NoError(t, err)
	var rule struct{ Spec any }
	require.NoError(t, yaml.Unmarshal(text, &rule))
	var copied any
	require.NoError(t, yaml.Unmarshal(pages[chartFolder+"/alerts.yaml"], &copied))
	require.NotEmpty(t, rule.Spec)
	assert.Equal(t, rule.Spec, copied)
}

func TestWhatIsNoRuleIsNotCopied(t *testing.T) {
	_, err := groupsOf("kind: PrometheusRule\n")
	require.ErrorContains(t, err, "no spec")
	_, err = groupsOf("kind: PrometheusRule\nspec:\n  groups: []\nmetadata: {}\n")
	require.ErrorContains(t, err, "not the last part")
	_, err = renderMonitoring(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEveryFlagOfTheCommandsIsOnThePage(t *testing.T) {
	rendered, err := render()
	require.NoError(t, err)
	for _, command := range append(storecmd.Commands(), options.NewCommand(), manager.NewCommand(), crdcheck.NewCommand()) {
		seen := 0
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			seen++
			if !flag.Hidden && flag.Name != "help" {
				assert.Contains(t, string(rendered), "| `--"+flag.Name+"` |", command.Name())
			}
		})
		require.GreaterOrEqual(t, seen, 3, command.Name())
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"one\n  two":     "one two",
		"a|b":            `a\|b`,
		"<group>/<name>": "&lt;group&gt;/&lt;name&gt;",
		"":               "",
	} {
		assert.Equal(t, want, cell(text))
	}
}
