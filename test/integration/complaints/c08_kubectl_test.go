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
	// kubectlSlower is how much slower kubectl may be while our server is away.
	kubectlSlower = 1.2
)

// TestC08KubectlIsNotSlowed: with our server away, "kubectl get pods" that has to ask for all APIs first takes as long as
// in a cluster that has never heard of us (kubernetes/kubernetes#98801).
func TestC08KubectlIsNotSlowed(t *testing.T) {
	with, without := apart(t), bare(t)
	services := apiServices(t, with)
	require.NoError(t, with.Roadstead.APIServer().Stop())
	// Before the aggregation layer knows of it, and from then on.
	measure(t, "not known", with.Cluster, without)
	awaitMissed(t, services)
	measure(t, "known", with.Cluster, without)
}

func measure(t *testing.T, outage string, with, without *cluster.Cluster) {
	t.Helper()
	// Both clusters by turns, so that whatever else this machine does slows both.
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

// getPods gives the time that "kubectl get pods" takes when it knows nothing of the cluster yet.
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
