// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// history evaluates an alert once per minute, from the beginning up to the given minute, and
// returns the alerts that then fire, and the minute from which on they fire.
func history(t *testing.T, rule rulefmt.Rule, data storage.Queryable, minutes int) (firing []*rules.Alert, since int) {
	t.Helper()
	engine := promqltest.NewTestEngine(t, false, 5*time.Minute, 1e6)
	evaluated := alerting(t, rule)
	for minute := range minutes + 1 {
		at := time.Unix(int64(60*minute), 0)
		_, err := evaluated.Eval(context.Background(), 0, at, rules.EngineQueryFunc(engine, data), nil, 0)
		require.NoError(t, err, rule.Alert)
		before := len(firing)
		firing = nil
		for _, one := range evaluated.ActiveAlerts() {
			if one.State == rules.StateFiring {
				firing = append(firing, one)
			}
		}
		if before == 0 && len(firing) > 0 {
			since = minute
		}
	}
	return firing, since
}

func loaded(t *testing.T, series []string) storage.Queryable {
	t.Helper()
	return promqltest.LoadedStorage(t, "load 1m\n  "+strings.Join(series, "\n  ")+"\n")
}

func TestEveryAlertFiresOnWhatItIsFor(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range loadAlerts(t) {
		t.Run(rule.Alert, func(t *testing.T) {
			shown, ok := examples[rule.Alert]
			require.True(t, ok, "there is no example of it")
			seen[rule.Alert] = true

			firing, since := history(t, rule, loaded(t, shown.bad), shown.after)
			require.Len(t, firing, 1, "with %s", shown.bad)
			assert.GreaterOrEqual(t, since, int(time.Duration(rule.For)/time.Minute), "it waits as long as it says")
			assert.Equal(t, shown.says, firing[0].Annotations.Get("summary"))
			description := firing[0].Annotations.Get("description")
			assert.NotContains(t, description, "error expanding", "the template")
			assert.NotContains(t, description, "<no value>", "the template")

			firing, _ = history(t, rule, loaded(t, shown.well), shown.after)
			assert.Empty(t, firing, "with %s", shown.well)
		})
	}
	for name := range examples {
		assert.Truef(t, seen[name], "%s is no alert any more", name)
	}
}

// TestNoChangeIsMissedWithoutAGuard covers a change while the guard was not installed.
func TestNoChangeIsMissedWithoutAGuard(t *testing.T) {
	for _, rule := range loadAlerts(t) {
		if rule.Alert != "RoadsteadCRDChangeMissed" {
			continue
		}
		firing, _ := history(t, rule, loaded(t, guardOff), 24)
		assert.Empty(t, firing)
		// A server that does not report whether the guard is installed must not suppress the alert.
		firing, _ = history(t, rule, loaded(t, guardOff[:2]), 24)
		assert.Len(t, firing, 1)
	}
}

// TestNothingFiresWithoutData checks that without data only the alerts for absent data fire.
func TestNothingFiresWithoutData(t *testing.T) {
	nothing := loaded(t, []string{`something_else 1x200`})
	for _, rule := range loadAlerts(t) {
		firing, _ := history(t, rule, nothing, 130)
		if strings.HasPrefix(rule.Expr, "absent(") {
			assert.Len(t, firing, 1, rule.Alert)
		} else {
			assert.Empty(t, firing, rule.Alert)
		}
	}
}
