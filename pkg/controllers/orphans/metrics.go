// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/controllers/base/hold"
)

// holdStoreIdentity holds objects of absent namespaces while the record of the store's identity
// does not match this cluster. It cannot be released.
const holdStoreIdentity = "StoreIdentity"

var deleted = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "roadstead_orphans_deleted_total",
	Help: "Objects that were deleted because their namespace no longer exists, by kind.",
}, []string{"kind"})

func init() {
	metrics.Registry.MustRegister(deleted)
	setHeld(0, 0)
}

// setHeld sets the numbers of namespaces that are held.
func setHeld(unseen, identity int) {
	hold.Set(string(HoldNamespaceEndNotSeen), hold.ScopeInstallation, unseen)
	hold.Set(holdStoreIdentity, hold.ScopeInstallation, identity)
}
