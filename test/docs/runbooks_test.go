// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const (
	// runbooks is the directory of the pages of alerts, and runbookPages their base URL. Both end
	// with the same path.
	runbooks     = "docs/runbooks"
	runbookPages = "https://roadstead.dev/" + runbooks + "/"
)

// alert contains the fields of an alert that its page must match.
type alert struct {
	Alert       string            `json:"alert"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) []alert {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "artifacts", "deploy", "monitoring", "prometheusrule.yaml"))
	require.NoError(t, err)
	var rule struct {
		Spec struct {
			Groups []struct {
				Rules []alert `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
	require.NoError(t, yaml.Unmarshal(text, &rule))
	var all []alert
	for _, group := range rule.Spec.Groups {
		all = append(all, group.Rules...)
	}
	require.Greater(t, len(all), 20, "the alerts were found")
	return all
}

func TestEveryAlertHasARunbook(t *testing.T) {
	index := read(t, filepath.Join(root, runbooks, "README.md"))
	for _, one := range alerts(t) {
		assert.Equal(t, runbookPages+one.Alert+".md", one.Annotations["runbook_url"])
		file := filepath.Join(root, runbooks, one.Alert+".md")
		if _, err := os.Stat(file); !assertNoError(t, err, "the runbook of %s", one.Alert) {
			continue
		}
		page := read(t, file)
		assert.Truef(t, strings.HasPrefix(page, "# "+one.Alert+"\n\nSeverity: "+one.Labels["severity"]+".\n"),
			"%s does not begin with the alert and its severity", file)
		for _, heading := range []string{"Meaning", "Impact", "Diagnosis", "Mitigation", "When to ignore it"} {
			text := section(t, page, heading)
			assert.Truef(t, heading == "Diagnosis" || strings.TrimSpace(text) != "", "%s says nothing under %q", file, heading)
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Regexpf(t, "```sh( not-run: .*)?\nkubectl ", section(t, string(source), "Diagnosis"), "%s names no command", file)
		assert.Containsf(t, index, "| ["+one.Alert+"]("+one.Alert+".md) | "+one.Labels["severity"]+" | ",
			"the index of the runbooks lacks %s", one.Alert)
	}
}

func TestEveryRunbookHasAnAlert(t *testing.T) {
	known := map[string]bool{"README.md": true}
	for _, one := range alerts(t) {
		known[one.Alert+".md"] = true
	}
	files, err := filepath.Glob(filepath.Join(root, runbooks, "*"))
	require.NoError(t, err)
	require.Len(t, files, len(known))
	for _, file := range files {
		assert.Truef(t, known[filepath.Base(file)], "%s is for no alert", file)
	}
}
