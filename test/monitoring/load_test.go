// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// shipped is the directory of the shipped manifests.
var shipped = filepath.Join("..", "..", "artifacts", "deploy", "monitoring")

// promQL is the parser of a Prometheus without feature flags.
var promQL = parser.NewParser(parser.Options{})

// loadAlerts parses the shipped alerts as Prometheus does, which refuses unknown fields, invalid
// expressions and invalid templates.
func loadAlerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shipped, "prometheusrule.yaml"))
	require.NoError(t, err)
	var object struct {
		Spec json.RawMessage `json:"spec"`
	}
	require.NoError(t, yaml.Unmarshal(text, &object))
	spec, err := yaml.JSONToYAML(object.Spec)
	require.NoError(t, err)
	groups, problems := rulefmt.Parse(spec, false, model.UTF8Validation, promQL, slog.New(slog.DiscardHandler))
	require.Empty(t, problems)
	var all []rulefmt.Rule
	for _, group := range groups.Groups {
		all = append(all, group.Rules...)
	}
	require.Greater(t, len(all), 20, "the alerts were found")
	return all
}

// alerting returns the alerting rule that Prometheus evaluates for an alert.
func alerting(t *testing.T, rule rulefmt.Rule) *rules.AlertingRule {
	t.Helper()
	expr, err := promQL.ParseExpr(rule.Expr)
	require.NoError(t, err, rule.Alert)
	return rules.NewAlertingRule(rule.Alert, expr, time.Duration(rule.For), time.Duration(rule.KeepFiringFor),
		labels.FromMap(rule.Labels), labels.FromMap(rule.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
}

// panel is a panel of the dashboard with its queries.
type panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Datasource  struct {
		UID string `json:"uid"`
	} `json:"datasource"`
	GridPos struct {
		H, W, X, Y int
	} `json:"gridPos"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		RefID        string `json:"refId"`
		Expr         string `json:"expr"`
		LegendFormat string `json:"legendFormat"`
		Datasource   struct {
			UID string `json:"uid"`
		} `json:"datasource"`
	} `json:"targets"`
}

// dashboard is the shipped dashboard.
type dashboard struct {
	UID        string  `json:"uid"`
	Title      string  `json:"title"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct {
			Name       string `json:"name"`
			Type       string `json:"type"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
}

func loadDashboard(t *testing.T) dashboard {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shipped, "dashboard.json"))
	require.NoError(t, err)
	var board dashboard
	require.NoError(t, json.Unmarshal(text, &board))
	return board
}

// filled replaces the variables of a query as Grafana does with its defaults.
func filled(query string) string {
	return strings.NewReplacer("$namespace", ".*", "$__rate_interval", "5m").Replace(query)
}

// queries returns every query of alerts and dashboard, keyed by its origin.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, rule := range loadAlerts(t) {
		all["alert "+rule.Alert] = rule.Expr
	}
	board := map[string]string{}
	for _, one := range loadDashboard(t).Panels {
		for _, target := range one.Targets {
			board["panel "+one.Title+" "+target.RefID] = filled(target.Expr)
		}
	}
	maps.Copy(all, board)
	require.Greater(t, len(all), 60, "titles of panels are different")
	return all
}

// selectors returns the vector selectors of a query.
func selectors(t *testing.T, query string) []*parser.VectorSelector {
	t.Helper()
	expr, err := promQL.ParseExpr(query)
	require.NoError(t, err, query)
	var all []*parser.VectorSelector
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			all = append(all, selector)
		}
		return nil
	})
	return all
}
