// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	releasev1alpha1 "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// countTimeout bounds a scrape: the cache answers at once when it is there.
const countTimeout = 2 * time.Second

// count are the numbers of objects by kind, namespace and phase.
type count map[[3]string]int

// counter adds the objects of one kind, from the cache.
type counter func(context.Context, client.Reader, count) error

// counted are the kinds that are counted: those whose controllers run.
func (o *Options) counted() []counter {
	var kinds []counter
	if o.runs(groupTakaro) {
		kinds = append(kinds, countDomains, countMockServers, countUsers)
	}
	if o.runs(groupRelease) {
		kinds = append(kinds, countApprovals, countOperators, countOperatorVersions)
	}
	return kinds
}

func countDomains(ctx context.Context, cached client.Reader, counts count) error {
	list := &takarov1alpha1.DomainList{}
	err := cached.List(ctx, list)
	for i := range list.Items {
		counts[[3]string{"Domain", list.Items[i].Namespace, string(list.Items[i].Status.Phase)}]++
	}
	return err
}

func countMockServers(ctx context.Context, cached client.Reader, counts count) error {
	list := &takarov1alpha1.MockServerList{}
	err := cached.List(ctx, list)
	for i := range list.Items {
		counts[[3]string{"MockServer", list.Items[i].Namespace, string(list.Items[i].Status.Phase)}]++
	}
	return err
}

func countUsers(ctx context.Context, cached client.Reader, counts count) error {
	list := &takarov1alpha1.UserList{}
	err := cached.List(ctx, list)
	for i := range list.Items {
		counts[[3]string{"User", list.Items[i].Namespace, string(list.Items[i].Status.Phase)}]++
	}
	return err
}

// countApprovals counts by decision, which is what an Approval has for a phase.
func countApprovals(ctx context.Context, cached client.Reader, counts count) error {
	list := &releasev1alpha1.ApprovalList{}
	err := cached.List(ctx, list)
	for i := range list.Items {
		counts[[3]string{"Approval", "", string(list.Items[i].Status.Decision)}]++
	}
	return err
}

// objectCounter counts stored objects by kind, namespace and phase at each scrape, from the cache.
type objectCounter struct {
	cached client.Reader
	kinds  []counter
	desc   *prometheus.Desc
}

func newObjectCounter(cached client.Reader, kinds []counter) *objectCounter {
	return &objectCounter{cached: cached, kinds: kinds, desc: prometheus.NewDesc("roadstead_objects",
		"Objects by kind, namespace and phase.", []string{"kind", "namespace", "phase"}, nil)}
}

// Describe implements prometheus.Collector.
func (c *objectCounter) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

// Collect implements prometheus.Collector.
func (c *objectCounter) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	counts := count{}
	for _, add := range c.kinds {
		if add(ctx, c.cached, counts) != nil {
			return // the cache is not filled yet
		}
	}
	for labels, number := range counts {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(number), labels[:]...)
	}
}
