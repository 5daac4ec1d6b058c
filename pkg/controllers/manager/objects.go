// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// countTimeout limits a scrape, which would otherwise wait for a cache that is not filled yet.
const countTimeout = 2 * time.Second

var (
	objectsDesc = prometheus.NewDesc("roadstead_objects",
		"Objects by kind and phase, counted by the replica that leads.", []string{"kind", "phase"}, nil)
	blockedDesc = prometheus.NewDesc("roadstead_objects_blocked",
		"Objects that are not Ready for a reason that only an administrator of the installation can remove, by kind and reason.",
		[]string{"kind", "reason"}, nil)
	deletionDesc = prometheus.NewDesc("roadstead_objects_oldest_deletion_timestamp_seconds",
		"Deletion time of the object whose deletion has been waiting longest for Roadstead, by kind. Objects that use credentials or "+
			"a Redis of their "+
			"namespace are left out. Missing if no deletion waits.", []string{"kind"}, nil)
)

// seen accumulates the objects of a scrape. The number of keys is bounded: users cannot choose
// label values.
type seen struct {
	objects, blocked map[[2]string]int
	// deletions contains the earliest deletion time of each kind.
	deletions map[string]time.Time
	// foreign contains the Domains that use credentials of their own namespace.
	foreign map[client.ObjectKey]bool
}

// add counts an object.
func (s *seen) add(one facts) {
	s.objects[[2]string{one.kind, one.phase}]++
	if reason := one.blocked(); reason != "" {
		s.blocked[[2]string{one.kind, reason}]++
	}
	if at := one.deletion(); !at.IsZero() {
		if earliest, ok := s.deletions[one.kind]; !ok || at.Before(earliest) {
			s.deletions[one.kind] = at
		}
	}
}

// counter adds the objects of one kind in the cache.
type counter func(context.Context, client.Reader, *seen) error

// counted returns a counter for each kind whose controller runs.
func (o *Options) counted() []counter {
	var kinds []counter
	if o.runs(groupTakaro) {
		// Domains are first, because objects that refer to a Domain share its credentials.
		kinds = append(kinds, countDomains, countMockServers, countUsers)
	}
	if o.runs(groupRelease) {
		kinds = append(kinds, countApprovals, countOperators, countOperatorVersions)
	}
	return kinds
}

// objectCounter counts stored objects at each scrape, from the cache and without copying them.
type objectCounter struct {
	cached client.Reader
	kinds  []counter
	// elected is closed when this replica becomes the leader. Other replicas would count the same
	// objects again, and need caches only for that.
	elected <-chan struct{}
}

var _ prometheus.Collector = &objectCounter{}

// process counts the objects of this process; see countObjects. It is registered at startup like
// all other metrics, so that the list of metrics is complete without a cluster.
var process = &objectCounter{}

func init() { metrics.Registry.MustRegister(process) }

// countObjects enables the metrics of stored objects. cached must read from a cache. elected is
// closed when this replica becomes the leader. It must be called before metrics are served.
func (o *Options) countObjects(cached client.Reader, elected <-chan struct{}) {
	process.cached, process.kinds, process.elected = cached, o.counted(), elected
}

// Describe implements prometheus.Collector.
func (c *objectCounter) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{objectsDesc, blockedDesc, deletionDesc} {
		descs <- desc
	}
}

// Collect implements prometheus.Collector.
func (c *objectCounter) Collect(out chan<- prometheus.Metric) {
	select {
	case <-c.elected:
	default:
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	all := &seen{
		objects: map[[2]string]int{}, blocked: map[[2]string]int{}, deletions: map[string]time.Time{}, foreign: map[client.ObjectKey]bool{},
	}
	for _, add := range c.kinds {
		if add(ctx, c.cached, all) != nil {
			return // the cache is not filled yet
		}
	}
	for labels, number := range all.objects {
		out <- prometheus.MustNewConstMetric(objectsDesc, prometheus.GaugeValue, float64(number), labels[:]...)
	}
	for labels, number := range all.blocked {
		out <- prometheus.MustNewConstMetric(blockedDesc, prometheus.GaugeValue, float64(number), labels[:]...)
	}
	for kind, at := range all.deletions {
		out <- prometheus.MustNewConstMetric(deletionDesc, prometheus.GaugeValue, float64(at.Unix()), kind)
	}
}
