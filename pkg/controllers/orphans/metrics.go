// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Values of the label reason of held.
const (
	heldMassDeletion  = "MassDeletion"
	heldStoreIdentity = "StoreIdentity"
)

var (
	heldNamespaces = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "roadstead_orphan_sweep_held",
		Help: "Absent namespaces whose objects are not deleted, because too many vanished together (MassDeletion) or because the record of the store's identity does not fit this cluster (StoreIdentity). 0 is normal.",
	}, []string{"reason"})
	deleted = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_orphans_deleted_total",
		Help: "Objects that were deleted because their namespace is gone, by kind.",
	}, []string{"kind"})
)

func init() {
	metrics.Registry.MustRegister(heldNamespaces, deleted)
	tellHeld(0, 0)
}

// tellHeld sets both numbers of held namespaces.
func tellHeld(mass, identity int) {
	heldNamespaces.WithLabelValues(heldMassDeletion).Set(float64(mass))
	heldNamespaces.WithLabelValues(heldStoreIdentity).Set(float64(identity))
}
