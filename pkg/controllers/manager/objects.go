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
	list := &takarov1alpha1.DomainList{}
	if err := c.cached.List(ctx, list); err != nil {
		return // the cache is not filled yet
	}
	type labels struct{ namespace, phase string }
	counts := map[labels]int{}
	for i := range list.Items {
		counts[labels{list.Items[i].Namespace, string(list.Items[i].Status.Phase)}]++
	}
	for key, count := range counts {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(count), "Domain", key.namespace, key.phase)
	}
}
