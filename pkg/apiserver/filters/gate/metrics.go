// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// refused is 1 for each cause and resource whose requests are refused.
var refused = metrics.NewGaugeVec(&metrics.GaugeOpts{
	Namespace:      "roadstead",
	Name:           "requests_refused",
	Help:           "1 while requests for the resource (empty: for all) are answered with 503, by cause.",
	StabilityLevel: metrics.ALPHA,
}, []string{"cause", "resource"})

func init() {
	legacyregistry.MustRegister(refused)
}
