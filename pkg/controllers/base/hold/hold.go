// SPDX-License-Identifier: Apache-2.0

// Package hold contains what all holds share. A hold blocks changes that are more likely the result
// of a fault than intended, until a user releases exactly those changes.
package hold

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// ReleaseAnnotation is the annotation on an object with a hold that releases the changes that are held
// at that time. Its value is the token of the hold. The controller removes the annotation once it has
// read it.
const ReleaseAnnotation = "roadstead.dev/release-hold"

// Values of the metric label scope.
const (
	// ScopeInstallation is for holds that only an administrator of the installation can release.
	ScopeInstallation = "installation"
	// ScopeTenant is for holds that a user of a namespace can release.
	ScopeTenant = "tenant"
)

var held = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "roadstead_held",
	Help: "Number of names that a hold keeps back until a person releases them. 0 is normal.",
}, []string{"hold", "scope"})

func init() { metrics.Registry.MustRegister(held) }

// Set sets the number of names that a hold blocks.
func Set(hold, scope string, count int) { held.WithLabelValues(hold, scope).Set(float64(count)) }
