// SPDX-License-Identifier: Apache-2.0

package version

import (
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/version"
)

// Metric is the name of the metric.
const Metric = "roadstead_build_info"

// NewCollector returns the metric of this program: 1, with the version and the commit that were stamped into it. Each program
// registers it once, where its other metrics are registered.
func NewCollector() prometheus.Collector {
	built := version.Get()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        Metric,
		Help:        "1, with the version of the program and the commit it was built from.",
		ConstLabels: prometheus.Labels{"version": built.GitVersion, "commit": built.GitCommit},
	})
	info.Set(1)
	return info
}
