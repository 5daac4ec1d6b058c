// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/cluster"
)

const (
	kubectlRuns = 11
	// kubectlSlower is the maximum slowdown factor of kubectl while the Roadstead server is
	// unavailable.
	kubectlSlower = 1.2
)

// TestC08KubectlIsNotSlowed verifies that, while the Roadstead server is unavailable, "kubectl get
// pods" with an empty discovery cache takes as long as in a cluster without Roadstead
// (kubernetes/kubernetes#98801).
func TestC08KubectlIsNotSlowed(t *testing.T) {
	with, without := apart(t), bare(t)
	services := apiServices(t, with)
	require.NoError(t, with.Roadstead.APIServer().Stop())
	// Measure before the aggregation layer notices the outage, and afterwards.
	measure(t, "not known", with.Cluster, without)
	awaitMissed(t, services)
	measure(t, "known", with.Cluster, without)
}

func measure(t *testing.T, outage string, with, without *cluster.Cluster) {
	t.Helper()
	// The measurements alternate between the clusters, so that other load on this machine affects
	// both.
	var away, baseline []time.Duration
	for range kubectlRuns {
		away = append(away, getPods(t, with))
		baseline = append(baseline, getPods(t, without))
	}
	ratio := median(away).Seconds() / median(baseline).Seconds()
	t.Logf("kubectl get pods with a cold cache, median of %d: our server away (%s) %s, a cluster without us %s, ratio %.2f", kubectlRuns,
		outage,
		median(away).Round(time.Millisecond), median(baseline).Round(time.Millisecond), ratio)
	assert.LessOrEqual(t, ratio, kubectlSlower)
}

// getPods returns the duration of "kubectl get pods" with an empty discovery cache.
func getPods(t *testing.T, c *cluster.Cluster) time.Duration {
	t.Helper()
	begin := time.Now()
	_, problems, err := c.Kubectl(t.Context(), "get", "pods", "--namespace=default", "--cache-dir="+t.TempDir())
	took := time.Since(begin)
	require.NoError(t, err)
	require.Contains(t, problems, "No resources found")
	return took
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
