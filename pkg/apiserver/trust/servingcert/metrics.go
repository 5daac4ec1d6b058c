// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// expiry returns when the certificate of this process expires, in seconds since 1970.
var expiry = metrics.NewGauge(&metrics.GaugeOpts{
	Namespace: "roadstead", Subsystem: "serving_certificate", Name: "expiration_timestamp_seconds",
	Help: "When the serving certificate of this replica expires, in seconds since 1970. It is renewed when a third of its life " +
		"is left.",
	StabilityLevel: metrics.ALPHA,
})

func init() { legacyregistry.MustRegister(expiry) }
