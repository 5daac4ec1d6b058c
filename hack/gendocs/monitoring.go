// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	// monitoringFolder contains alerts and dashboard.
	monitoringFolder = "artifacts/deploy/monitoring"
	// chartFolder contains the files that the templates of the Helm chart may read.
	chartFolder = "artifacts/chart/roadstead/files"
)

// renderMonitoring returns the copies of alerts and dashboard in the Helm chart, by path. A chart
// can read only its own files.
func renderMonitoring(root string) (map[string][]byte, error) {
	rule, err := os.ReadFile(filepath.Join(root, monitoringFolder, "prometheusrule.yaml"))
	if err != nil {
		return nil, err
	}
	groups, err := groupsOf(string(rule))
	if err != nil {
		return nil, fmt.Errorf("prometheusrule.yaml: %w", err)
	}
	dashboard, err := os.ReadFile(filepath.Join(root, monitoringFolder, "dashboard.json"))
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		path.Join(chartFolder, "alerts.yaml"):    groups,
		path.Join(chartFolder, "dashboard.json"): dashboard,
	}, nil
}

// groupsOf returns the spec of a PrometheusRule as text, with its comments: a rule file in the
// format of Prometheus.
func groupsOf(rule string) ([]byte, error) {
	_, spec, found := strings.Cut(rule, "\nspec:\n")
	if !found {
		return nil, fmt.Errorf("there is no spec")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Written by go run ./hack/gendocs from %s/prometheusrule.yaml.\n", monitoringFolder)
	for line := range strings.Lines(spec) {
		text, indented := strings.CutPrefix(line, "  ")
		if !indented && strings.TrimSpace(line) != "" {
			return nil, fmt.Errorf("the spec is not the last part: %q", line)
		}
		out.WriteString(text)
	}
	return out.Bytes(), nil
}
