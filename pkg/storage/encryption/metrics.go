// SPDX-License-Identifier: Apache-2.0

package encryption

import (
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// seedInUse shows whether all replicas have read the same Secret, before a seed becomes the first one or is removed.
var seedInUse = metrics.NewGaugeVec(&metrics.GaugeOpts{
	Namespace: "roadstead",
	Name:      "encryption_seed",
	Help: "1 for each encryption seed that the server read in the Secret, by a name derived from it; " +
		"use is write for the first one and read for the others.",
	StabilityLevel: metrics.ALPHA,
}, []string{"seed", "use"})

func init() {
	legacyregistry.MustRegister(seedInUse)
}

func recordSeeds(seeds [][]byte) {
	seedInUse.Reset()
	for number, seed := range seeds {
		use := "read"
		if number == 0 {
			use = "write"
		}
		seedInUse.WithLabelValues(name(seed), use).Set(1)
	}
}
