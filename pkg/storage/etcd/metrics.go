// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"sync"

	"golang.org/x/sys/unix"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// quota is exported only by servers with an embedded member: the quota of an external etcd is not known, and compared
// with 0 every size looks too large.
var quota = metrics.NewGauge(&metrics.GaugeOpts{
	Namespace: "roadstead", Subsystem: "embedded_store", Name: "quota_bytes",
	Help: "How many bytes the file of the embedded etcd may have, to compare with apiserver_storage_size_bytes; beyond it etcd " +
		"takes no writes but deletes. Missing with an etcd elsewhere.",
	StabilityLevel: metrics.ALPHA,
})

// newFree returns a gauge of the free bytes of the volume that a folder is on. Nothing is shown where they cannot be read.
func newFree(dir string) metrics.StableCollector { return &free{dir: dir} }

var freeDesc = metrics.NewDesc("roadstead_embedded_store_volume_free_bytes",
	"Bytes that are free on the volume of the embedded etcd. At 0 the server ends, and starts again when there is space. Missing with an "+
		"etcd elsewhere.",
	nil, nil, metrics.ALPHA, "")

type free struct {
	metrics.BaseStableCollector
	dir string
}

// DescribeWithStability implements metrics.StableCollector.
func (f *free) DescribeWithStability(out chan<- *metrics.Desc) { out <- freeDesc }

// CollectWithStability implements metrics.StableCollector.
func (f *free) CollectWithStability(out chan<- metrics.Metric) {
	var volume unix.Statfs_t
	if unix.Statfs(f.dir, &volume) == nil {
		out <- metrics.NewLazyConstMetric(freeDesc, metrics.GaugeValue, float64(volume.Bavail)*float64(volume.Bsize))
	}
}

var onceFree sync.Once

// showFree adds the gauge of a folder, once in a process.
func showFree(dir string) {
	onceFree.Do(func() { legacyregistry.CustomMustRegister(newFree(dir)) })
}

var showQuota = sync.OnceFunc(func() {
	legacyregistry.MustRegister(quota)
	quota.Set(quotaBytes)
})
