// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/testutil"

	"roadstead.dev/roadstead/test/framework"
)

// direct returns a configuration with the identity of config that connects to a Roadstead server
// and bypasses the aggregation layer.
func direct(config *rest.Config, address string) *rest.Config {
	past := rest.CopyConfig(config)
	past.Host = "https://" + address
	past.TLSClientConfig.CAData, past.TLSClientConfig.CAFile, past.TLSClientConfig.Insecure = nil, "", true
	return past
}

// metric returns the sum of the series of a metric that have all of the labels.
func metric(t *testing.T, config *rest.Config, name string, labels map[string]string) float64 {
	t.Helper()
	answer := framework.Do(t, config, framework.Request{Path: "/metrics"})
	require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
	all := testutil.NewMetrics()
	require.NoError(t, testutil.ParseMetrics(string(answer.Body), &all))
	var sum float64
	for _, sample := range all[name] {
		matching := 0
		for label, value := range sample.Metric {
			if want, ok := labels[string(label)]; ok && want == string(value) {
				matching++
			}
		}
		if matching == len(labels) {
			sum += float64(sample.Value)
		}
	}
	return sum
}
