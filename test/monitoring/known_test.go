// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/test/framework/install"

	// The packages register their metrics when they are linked, as in the programs.
	_ "roadstead.dev/roadstead/pkg/apiserver/options"
	_ "roadstead.dev/roadstead/pkg/controllers/manager"
)

// known contains every existing metric, with its labels and their observed values.
type known map[string]map[string]map[string]bool

func (k known) add(scraped []sample) {
	for _, one := range scraped {
		name := one.series.Get(model.MetricNameLabel)
		if k[name] == nil {
			k[name] = map[string]map[string]bool{}
		}
		one.series.Range(func(l labels.Label) {
			if k[name][l.Name] == nil {
				k[name][l.Name] = map[string]bool{}
			}
			k[name][l.Name][l.Value] = true
		})
	}
}

var described = regexp.MustCompile(`fqName: "(\w+)".*variableLabels: \{(.*?)\}`)

// declare adds the metrics that the programs have registered, including those that no scrape
// contains before the first incident. It adds their labels without values, except for the program's
// job.
func (k known) declare(t *testing.T) {
	t.Helper()
	for job, registry := range map[string]any{install.APIServer: legacyregistry.Registerer(), install.Controller: ctrlmetrics.Registry} {
		collector, ok := registry.(prometheus.Collector)
		require.True(t, ok, "a registry tells what is in it")
		descs := make(chan *prometheus.Desc)
		go func() {
			defer close(descs)
			collector.Describe(descs)
		}()
		count := 0
		for desc := range descs {
			found := described.FindStringSubmatch(desc.String())
			if found == nil {
				continue
			}
			count++
			if k[found[1]] == nil {
				k[found[1]] = map[string]map[string]bool{}
			}
			for _, label := range strings.Split(found[2]+",instance,job,namespace", ",") {
				if label != "" && k[found[1]][label] == nil {
					k[found[1]][label] = map[string]bool{}
				}
			}
			k[found[1]]["job"][job] = true
		}
		require.Greater(t, count, 10, "the metrics were found")
	}
}

// rare are values of labels that appear only in incidents which no test of this package causes,
// with their place in the code.
var rare = map[string]struct{ file, text string }{
	`roadstead_authorizer_requests_total decision error`:     {"pkg/apiserver/trust/authorization/metrics.go", `return "error"`},
	`roadstead_requests_refused cause encryption`:            {"pkg/apiserver/options/encryption.go", `encryptionCause = "encryption"`},
	`roadstead_once_secret state missing`:                    {"pkg/util/keeper/metrics.go", `stateMissing    = "missing"`},
	`roadstead_crdguard_requests_total decision failed`:      {"pkg/apiserver/crdwebhook/metrics.go", `failed  = "failed"`},
	`roadstead_reconcile_total result failed`:                {"pkg/controllers/base/measure.go", `return "failed"`},
	`roadstead_takaro_objects_lost_total scope installation`: {"pkg/controllers/base/hold/hold.go", `ScopeInstallation = "installation"`},
}

// requireKnown requires that a query uses only existing metrics, labels, and values of labels.
func (k known) requireKnown(t *testing.T, asker, query string) {
	t.Helper()
	for _, selector := range selectors(t, query) {
		name := selector.Name
		if name == "up" { // from Prometheus itself
			continue
		}
		has, ok := k[name]
		if !assert.Truef(t, ok, "%s: there is no metric %s", asker, name) {
			continue
		}
		for _, matcher := range selector.LabelMatchers {
			if matcher.Name == model.MetricNameLabel {
				continue
			}
			if !assert.Containsf(t, has, matcher.Name, "%s: %s has no label %s", asker, name, matcher.Name) || k.seen(name, matcher) {
				continue
			}
			key := name + " " + matcher.Name + " " + matcher.Value
			from, ok := rare[key]
			if assert.Truef(t, ok, "%s: no series has what %s says", asker, key) {
				source, err := os.ReadFile(filepath.Join("..", "..", from.file))
				require.NoError(t, err, key)
				assert.Containsf(t, string(source), from.text, "%s is not from there any more: %s", key, from.file)
			}
		}
	}
	k.requireGroupings(t, asker, query)
}

// seen reports whether some series has a value that matches.
func (k known) seen(name string, matcher *labels.Matcher) bool {
	for value := range k[name][matcher.Name] {
		if matcher.Matches(value) {
			return true
		}
	}
	// A matcher that matches the empty string accepts any value, or all but some.
	return matcher.Matches("")
}

// requireGroupings requires that aggregated metrics have the labels by which they are grouped.
func (k known) requireGroupings(t *testing.T, asker, query string) {
	t.Helper()
	expr, err := promQL.ParseExpr(query)
	require.NoError(t, err)
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		sum, ok := node.(*parser.AggregateExpr)
		if !ok {
			return nil
		}
		for _, inner := range selectors(t, sum.Expr.String()) {
			for _, label := range sum.Grouping {
				assert.Containsf(t, k[inner.Name], label, "%s: %s has no label %s", asker, inner.Name, label)
			}
		}
		return nil
	})
}
