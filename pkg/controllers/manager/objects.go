// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// countTimeout bounds a scrape: the cache answers at once when it is there.
const countTimeout = 2 * time.Second

// objectCounter counts stored objects by kind, namespace and phase at each scrape, from the cache.
type objectCounter struct {
	cached client.Reader
	desc   *prometheus.Desc
}

func newObjectCounter(cached client.Reader) *objectCounter {
	return &objectCounter{cached: cached, desc: prometheus.NewDesc("roadstead_objects",
		"Objects by kind, namespace and phase.", []string{"kind", "namespace", "phase"}, nil)}
}

// Describe implements prometheus.Collector.
func (c *objectCounter) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

// Collect implements prometheus.Collector.
func (c *objectCounter) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	domains, servers, users := &takarov1alpha1.DomainList{}, &takarov1alpha1.MockServerList{}, &takarov1alpha1.UserList{}
	if c.cached.List(ctx, domains) != nil || c.cached.List(ctx, servers) != nil || c.cached.List(ctx, users) != nil {
		return // the cache is not filled yet
	}
	counts := map[[3]string]int{}
	for i := range domains.Items {
		counts[[3]string{"Domain", domains.Items[i].Namespace, string(domains.Items[i].Status.Phase)}]++
	}
	for i := range servers.Items {
		counts[[3]string{"MockServer", servers.Items[i].Namespace, string(servers.Items[i].Status.Phase)}]++
	}
	for i := range users.Items {
		counts[[3]string{"User", users.Items[i].Namespace, string(users.Items[i].Status.Phase)}]++
	}
	for labels, count := range counts {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(count), labels[:]...)
	}
}
