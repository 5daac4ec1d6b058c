// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/util/teststorage"
	"github.com/stretchr/testify/require"
)

// world contains the data of a Prometheus that scraped once per minute.
type world struct {
	t      *testing.T
	data   *teststorage.TestStorage
	engine *promql.Engine
	asked  map[string]bool
	now    time.Time
}

// newWorld returns a world without data. It stores only the metrics that alerts and dashboard use.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, data: teststorage.New(t), engine: promqltest.NewTestEngine(t, false, 5*time.Minute, 5e6),
		asked: map[string]bool{}, now: time.Now()}
	for _, query := range queries(t) {
		for _, selector := range selectors(t, query) {
			w.asked[selector.Name] = true
		}
	}
	return w
}

// add adds samples for each of the next minutes.
func (w *world) add(scraped []sample, minutes int) {
	w.t.Helper()
	for range minutes {
		w.now = w.now.Add(time.Minute)
		appender := w.data.Appender(w.t.Context())
		for _, one := range scraped {
			if !w.asked[one.series.Get(model.MetricNameLabel)] {
				continue
			}
			_, err := appender.Append(0, one.series, w.now.UnixMilli(), one.value)
			require.NoError(w.t, err)
		}
		require.NoError(w.t, appender.Commit())
	}
}

// ask evaluates a query at the current time.
func (w *world) ask(query string) promql.Vector {
	w.t.Helper()
	found, err := rules.EngineQueryFunc(w.engine, w.data)(context.Background(), query, w.now)
	require.NoError(w.t, err, query)
	return found
}

// firing evaluates all alerts in each of the last minutes and returns those that then fire, with
// their summaries.
func (w *world) firing(minutes int) map[string]string {
	w.t.Helper()
	found := map[string]string{}
	for _, rule := range loadAlerts(w.t) {
		evaluated := alerting(w.t, rule)
		for minute := minutes; minute >= 0; minute-- {
			at := w.now.Add(-time.Duration(minute) * time.Minute)
			_, err := evaluated.Eval(context.Background(), 0, at, rules.EngineQueryFunc(w.engine, w.data), nil, 0)
			require.NoError(w.t, err, rule.Alert)
		}
		for _, one := range evaluated.ActiveAlerts() {
			if one.State == rules.StateFiring {
				found[rule.Alert] = one.Annotations.Get("summary")
			}
		}
	}
	return found
}
