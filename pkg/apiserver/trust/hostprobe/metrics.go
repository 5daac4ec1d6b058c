// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	dropped = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Name: "roadstead_admission_plugin_dropped",
		Help: "1 for each admission plugin (and PriorityAndFairness) that is off because the cluster does not serve what it " +
			"needs (NotServed).",
		StabilityLevel: metrics.ALPHA,
	}, []string{"plugin", "reason"})

	missingRights = metrics.NewGaugeVec(&metrics.GaugeOpts{
		Name: "roadstead_host_rights_missing",
		Help: "1 for each admission plugin (and PriorityAndFairness, Authentication) for which this server lacks a right in the host " +
			"cluster, 0 for those that have all.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"part"})
)

func init() { legacyregistry.MustRegister(dropped, missingRights) }

// show sets the metric of missing rights.
func show(needs []Need, denied []Missing) {
	parts := sets.New[string]()
	for _, m := range denied {
		parts.Insert(m.Part)
	}
	for _, need := range needs {
		value := 0.
		if parts.Has(need.Part) {
			value = 1
		}
		missingRights.WithLabelValues(need.Part).Set(value)
	}
}
