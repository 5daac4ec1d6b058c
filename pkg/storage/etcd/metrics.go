// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// quota is shown by servers with an embedded member only: what an etcd elsewhere may hold is not ours to know, and beside 0
// every size looks too large.
var quota = metrics.NewGauge(&metrics.GaugeOpts{
	Namespace: "roadstead", Subsystem: "embedded_store", Name: "quota_bytes",
	Help:           "How many bytes the file of the embedded etcd may have, to compare with apiserver_storage_size_bytes; beyond it etcd takes no writes but deletes. Missing with an etcd elsewhere.",
	StabilityLevel: metrics.ALPHA,
})

var showQuota = sync.OnceFunc(func() {
	legacyregistry.MustRegister(quota)
	quota.Set(quotaBytes)
})
