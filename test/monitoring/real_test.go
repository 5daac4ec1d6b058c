// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// unshown are queries of panels without results, because no test of this package causes what they
// show. The value is the reason.
var unshown = map[string]string{
	"panel Admission plugins off A": "a plugin is off for want of a right only",
	"panel Orphans A":               "no namespace vanished with its objects",
}

// TestAlertsAndDashboardAskForWhatIsThere starts with a healthy installation that is scraped as the
// manifests specify: no alert fires. Then it causes failures, for which the alerts fire. At the end
// every query must have used metrics that the programs expose.
func TestAlertsAndDashboardAskForWhatIsThere(t *testing.T) {
	applyMonitoring(t)
	kubectl(t, "", "apply", "-k", "../../artifacts/deploy/guard")
	s := newSubject(t)
	s.live()
	scraper := newScraper(t)
	everything := known{}
	w := newWorld(t)
	healthy := scrape(t, scraper)
	w.add(healthy, 1)
	s.live()
	healthy = scrape(t, scraper)
	// This is longer than the longest "for" of all alerts.
	w.add(healthy, 130)
	everything.add(healthy)
	assert.Empty(t, w.firing(129), "nothing fires in a healthy installation")

	s.goWrong()
	sick := scrape(t, scraper)
	everything.add(sick)
	// The data are added twice because a new series has no rate after one sample.
	w.add(sick, 2)
	shown := map[string]int{}
	look := func() {
		for asker, query := range queries(t) {
			shown[asker] = max(shown[asker], len(w.ask(query)))
		}
	}
	look()
	// This restarts the server, which resets its counters.
	s.refuse()
	refused := scrape(t, scraper)
	everything.add(refused)
	w.add(refused, 2)
	look()
	s.comeBack()
	w.add(refused, 20)
	firing := w.firing(22)
	for alert, part := range map[string]string{
		"RoadsteadStoreRefused":      "ClusterForeign",
		"RoadsteadTakaroCircuitOpen": strings.TrimPrefix(s.takaro.URL(), "http://"),
	} {
		assert.Contains(t, firing[alert], part)
	}
	for _, atOnce := range []string{"RoadsteadCRDGuardFailsOpen", "RoadsteadCRDChangeMissed"} {
		assert.Positive(t, shown["alert "+atOnce], atOnce)
	}
	everything.declare(t)
	for asker, query := range queries(t) {
		everything.requireKnown(t, asker, query)
		if !strings.HasPrefix(asker, "panel ") {
			continue
		}
		if _, excused := unshown[asker]; excused {
			assert.Zerof(t, shown[asker], "%s shows something: it needs no excuse any more", asker)
		} else {
			assert.Positivef(t, shown[asker], "%s shows nothing: %s", asker, query)
		}
	}
	requireLegends(t, w)
}

var legendLabel = regexp.MustCompile(`\{\{(\w+)\}\}`)

// requireLegends requires that the legend of each panel uses labels of its series.
func requireLegends(t *testing.T, w *world) {
	t.Helper()
	for _, one := range loadDashboard(t).Panels {
		for _, target := range one.Targets {
			for _, found := range w.ask(filled(target.Expr)) {
				for _, label := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
					assert.Truef(t, found.Metric.Has(label[1]) || hidden(one.Title, label[1]), "panel %q: %s has no label %s",
						one.Title, found.Metric, label[1])
				}
			}
		}
	}
}

// hidden reports whether a label is empty in some series, which is equivalent to a missing label.
func hidden(title, label string) bool {
	return title == "Objects by phase" && label == "phase" || title == "Reviews p99" && label == "operation"
}

// scrape waits for a successful scrape of all targets, because tokens and permissions take effect
// with a delay.
func scrape(t *testing.T, from *scraper) (found []sample) {
	t.Helper()
	framework.Await(t, "a scrape", func() (err error) {
		found, err = from.scrape(t.Context())
		return err
	})
	require.Greater(t, len(found), 1000)
	return found
}

func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, _, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
	require.NoError(t, err)
	return out
}

// applyMonitoring applies the shipped directory without the objects of the operator's kinds.
func applyMonitoring(t *testing.T) {
	t.Helper()
	var kept []string
	for _, object := range strings.Split(kubectl(t, "", "kustomize", shipped), "\n---\n") {
		if !strings.Contains(object, "apiVersion: monitoring.coreos.com/") {
			kept = append(kept, object)
		}
	}
	require.Greater(t, len(kept), 4)
	kubectl(t, strings.Join(kept, "\n---\n"), "apply", "-f", "-")
	board, err := env.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), "roadstead-dashboard", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "1", board.Labels["grafana_dashboard"])
	assert.Contains(t, board.Data["roadstead.json"], `"uid": "roadstead"`)
}

// valueOf returns the value of the series of a metric that has all of the labels, or false if there
// is none.
func valueOf(scraped []sample, metric string, has ...string) (float64, bool) {
	for _, one := range scraped {
		if one.series.Get(model.MetricNameLabel) != metric {
			continue
		}
		fits := true
		for i := 0; i < len(has); i += 2 {
			fits = fits && one.series.Get(has[i]) == has[i+1]
		}
		if fits {
			return one.value, true
		}
	}
	return 0, false
}

// awaitOne waits until a program exposes a series with a value of at least one.
func awaitOne(t *testing.T, from target, metric string, has ...string) {
	t.Helper()
	framework.Await(t, metric, func() error {
		scraped, err := from.scrape(t.Context())
		if err != nil {
			return err
		}
		if value, ok := valueOf(scraped, metric, has...); !ok || value < 1 {
			return fmt.Errorf("it is %v (%t)", value, ok)
		}
		return nil
	})
}

var errNotYet = errors.New("not yet")

// newTakaro starts a stand-in for Takaro.
func newTakaro(t *testing.T) *takaro.Server {
	t.Helper()
	server := takaro.New(takaro.Options{})
	require.NoError(t, server.Start())
	t.Cleanup(server.Close)
	return server
}
