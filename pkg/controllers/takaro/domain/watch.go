// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/scaffold"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/takaro"
)

// comparePeriod is how often Takaro's domains are compared with ours.
const comparePeriod = time.Minute

// watch wakes Domains whose Takaro side changed: by one list per endpoint and period, and when an endpoint answers again.
type watch struct {
	*reconciler
	period time.Duration

	queue scaffold.Queue
}

// group is the Domains of one endpoint.
type group struct {
	endpoint takaro.Endpoint
	domains  []*v1alpha1.Domain
}

// Start compares until ctx ends. The manager runs it where it leads.
func (w *watch) Start(ctx context.Context) error {
	cancel := w.pool.OnCircuitClosed(func(url string) { go w.wakeEndpoint(ctx, url) })
	defer cancel()
	wait.JitterUntilWithContext(ctx, w.compare, w.period, 0.2, false)
	return nil
}

// compare takes a list of each endpoint and wakes what it does not agree with.
func (w *watch) compare(ctx context.Context) {
	groups, err := w.groups(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "Comparing with Takaro failed")
		return
	}
	used := make(map[endpoint.Key]bool, len(groups))
	var all sync.WaitGroup
	for key, group := range groups {
		used[key] = true
		all.Go(func() { w.compareGroup(ctx, key, group) })
	}
	all.Wait()
	w.observer.retain(used)
}

// groups sorts the Domains by endpoint. Those whose endpoint cannot be resolved wait for a Secret, which wakes them.
func (w *watch) groups(ctx context.Context) (map[endpoint.Key]*group, error) {
	list := &v1alpha1.DomainList{}
	if err := w.client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing Domains: %w", err)
	}
	groups := map[endpoint.Key]*group{}
	for i := range list.Items {
		domain := &list.Items[i]
		resolved, err := w.endpoints.Resolve(ctx, domain)
		if err != nil || domain.DeletionTimestamp != nil {
			continue
		}
		key := endpoint.KeyOf(resolved.Endpoint)
		if groups[key] == nil {
			groups[key] = &group{endpoint: resolved.Endpoint}
		}
		groups[key].domains = append(groups[key].domains, domain)
	}
	return groups, nil
}

func (w *watch) compareGroup(ctx context.Context, key endpoint.Key, group *group) {
	takaroClient, err := w.pool.Client(group.endpoint)
	if err != nil {
		return // its Domains say so themselves
	}
	list, err := w.observer.refresh(ctx, key, takaroClient)
	if _, busy := takaro.RetryAfter(err); busy && !takaro.IsCircuitOpen(err) {
		return // asked to wait: says nothing about the Domains, and the next comparison comes
	}
	for _, domain := range group.domains {
		reachable := meta.IsStatusConditionTrue(domain.Status.Conditions, v1alpha1.ConditionEndpointReady)
		switch {
		case err != nil && reachable, err == nil && !reachable && endpointFailed(domain), domain.Status.ObservedGeneration != domain.Generation:
			w.queue.Add(domain)
		case err == nil && domain.Status.DomainID != "" && w.differs(ctx, list, domain):
			w.queue.Add(domain)
		}
	}
}

// endpointFailed tells a Domain whose endpoint was found not to work from one that is new.
func endpointFailed(domain *v1alpha1.Domain) bool {
	return meta.IsStatusConditionPresentAndEqual(domain.Status.Conditions, v1alpha1.ConditionEndpointReady, metav1.ConditionFalse)
}

// differs tells whether the list or the registration Secret does not agree with a Domain.
func (w *watch) differs(ctx context.Context, list *snapshot, domain *v1alpha1.Domain) bool {
	record, ok := w.observer.find(list, domain.Status.DomainID)
	if !ok {
		return true
	}
	if _, fields := drift(&domain.Spec, referenceOf(domain, w.installation), &record); len(fields) > 0 {
		return true
	}
	secret, err := w.secrets.Find(ctx, domain, registrationSecretName(domain))
	return err != nil || secret == nil || string(secret.Data[keyToken]) != record.ServerRegistrationToken.Reveal()
}

// wakeEndpoint wakes the Domains of an endpoint that answers again.
func (w *watch) wakeEndpoint(ctx context.Context, url string) {
	list := &v1alpha1.DomainList{}
	if err := w.client.List(ctx, list); err != nil {
		log.FromContext(ctx).Error(err, "Waking the Domains of an endpoint failed; they wake by themselves", "endpoint", url)
		return
	}
	for i := range list.Items {
		domain := &list.Items[i]
		if own, err := takaro.NormalizeURL(domain.Spec.TakaroAPIURL); err == nil && endpoint.SameOrigin(own, url) {
			w.queue.Add(domain)
		}
	}
}
