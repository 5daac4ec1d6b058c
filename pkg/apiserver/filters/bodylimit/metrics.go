// SPDX-License-Identifier: Apache-2.0

package bodylimit

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

var (
	refused = metrics.NewCounterVec(&metrics.CounterOpts{
		Name: "roadstead_bodies_refused_total",
		Help: "Requests refused because of their body, by class of resources (guard, definitions, others) and by reason: " +
			"size (413), deadline (408), memory (429) or places (429).",
		StabilityLevel: metrics.ALPHA,
	}, []string{"class", "reason"})

	register = sync.OnceFunc(func() { legacyregistry.MustRegister(refused) })
)
