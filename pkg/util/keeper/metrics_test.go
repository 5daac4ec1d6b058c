// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"
)

const (
	patience = 10 * time.Second
	tick     = 10 * time.Millisecond
)

// isPublished reports whether the metric has a series for a value of the Secret.
func isPublished(t *testing.T, print, state string) bool {
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != "roadstead_once_secret" {
			continue
		}
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["secret"] == secretName && labels["fingerprint"] == print && labels["state"] == state {
				return series.GetGauge().GetValue() == 1
			}
		}
	}
	return false
}

// restorations returns how often the process restored the Secret.
func restorations(t *testing.T) float64 {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == "roadstead_once_secret_restored_total" {
			require.Len(t, family.GetMetric(), 1)
			require.Equal(t, secretName, family.GetMetric()[0].GetLabel()[0].GetValue())
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return 0
}

func TestMetric_States(t *testing.T) {
	w := newWorld(t, t.Context())
	w.put("metric1 metric2")
	k := w.started()
	for _, print := range prints("metric1", "metric2") {
		assert.True(t, isPublished(t, print, stateCurrent))
	}
	w.put("metric1")
	found, err := k.observe(w.ctx)
	require.NoError(t, err)
	k.published.set(k, found)
	assert.True(t, isPublished(t, prints("metric2")[0], stateRemembered))
	assert.False(t, isPublished(t, prints("metric2")[0], stateCurrent))
	_, err = k.Get(w.ctx)
	require.NoError(t, err)
	assert.True(t, isPublished(t, prints("metric2")[0], stateCurrent))
	assert.False(t, isPublished(t, prints("metric2")[0], stateRemembered))
}
