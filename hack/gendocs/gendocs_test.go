// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
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
	assert.Empty(t, stale, "pages of rules that are gone: go run ./hack/gendocs")
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

func TestPagesOfRulesThatAreGoneAreRemoved(t *testing.T) {
	folder := t.TempDir()
	gone := filepath.Join(folder, rulesFolder, "CRD-999.md")
	require.NoError(t, os.MkdirAll(filepath.Dir(gone), 0o755))
	require.NoError(t, os.WriteFile(gone, []byte("gone"), 0o644))
	// What is made from the checkout, and not from the programs, has to be there.
	for _, source := range []string{filepath.Dir(valuesFile), deployFolder} {
		require.NoError(t, os.CopyFS(filepath.Join(folder, source), os.DirFS(filepath.Join(root, source))))
	}
	require.NoError(t, os.RemoveAll(filepath.Join(folder, templatesFolder)))
	require.NoError(t, write(folder))
	require.NoFileExists(t, gone)
	for _, rule := range rules.All {
		require.FileExists(t, filepath.Join(folder, rulesFolder, rule.Code()+".md"))
	}
	require.FileExists(t, filepath.Join(folder, page))
}

func TestPageOfARule(t *testing.T) {
	pages, err := renderRules()
	require.NoError(t, err)
	text := string(pages[rulesFolder+"/CRD-301.md"])
	for _, part := range []string{
		"# CRD-301: enum value removed\n", "Verdict **B**: breaking.\n", "Concerns: stored objects, writers.\n",
		"| Making a stored object anew (restore, another cluster) | rejected |\n", "## What to do\n",
		"```diff\n enum:\n - a\n-- b\n type: string\n```\n",
	} {
		assert.Contains(t, text, part)
	}
	assert.Contains(t, string(pages[rulesFolder+"/CRD-502.md"]), "Verdict **B?**: breaking, unless it is proved")
	assert.Contains(t, string(pages[rulesFolder+"/CRD-512.md"]), "Only on Kubernetes 1.34 and newer.")
	assert.Contains(t, string(pages[rulesFolder+"/CRD-417.md"]), "[CRD-901](CRD-901.md)")
	assert.NotContains(t, string(pages[rulesFolder+"/CRD-S01.md"]), "## Example")
	for file, content := range pages {
		assert.NotContains(t, string(content), "\n\n\n", file)
		assert.NotContains(t, string(content), "<no value>", file)
	}
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
