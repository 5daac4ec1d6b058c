// SPDX-License-Identifier: Apache-2.0

// Package hold is what all holds share. A hold keeps back changes that are more likely the result
// of a fault than intended, until a person releases exactly those changes.
package hold

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// ReleaseAnnotation on the object that carries a hold releases what it holds now. Its value is the
// token of the hold. A controller removes it once it has read it.
const ReleaseAnnotation = "roadstead.dev/release-hold"

// Values of the label scope.
const (
	// ScopeInstallation is for holds that an administrator of the installation releases.
	ScopeInstallation = "installation"
	// ScopeTenant is for holds that a user of a namespace releases.
	ScopeTenant = "tenant"
)

var held = prometheus.NewGaugeVec(prometheus.GaugeOpts{
	Name: "roadstead_held",
	Help: "Number of names that a hold keeps back until a person releases them. 0 is normal.",
}, []string{"hold", "scope"})

func init() { metrics.Registry.MustRegister(held) }

// Set sets how many names a hold keeps back.
func Set(hold, scope string, count int) { held.WithLabelValues(hold, scope).Set(float64(count)) }
