// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// stateMetric is 1 for the present state and 0 for all others.
var stateMetric = metrics.NewGaugeVec(&metrics.GaugeOpts{
	Namespace:      "roadstead",
	Name:           "store_identity_state",
	Help:           "1 for the state of the store, 0 for all others. Resource requests are answered only in state Serving.",
	StabilityLevel: metrics.ALPHA,
}, []string{"state"})

func init() {
	legacyregistry.MustRegister(stateMetric)
}

func publish(present State) {
	for _, state := range states {
		value := 0.0
		if state == present {
			value = 1
		}
		stateMetric.WithLabelValues(string(state)).Set(value)
	}
}
