// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/compare"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// watch wakes Domains whose Takaro domain changed. It reads one list per endpoint and period, and
// also wakes Domains when an endpoint responds again.
type watch struct {
	*reconciler
	strays strays
}

// group is the Domains of one endpoint.
type group struct {
	endpoint takaro.Endpoint
	domains  []member
	// list is the list of this comparison. It is nil if the list is not complete.
	list *snapshot
}

// member is a Domain and its resolved endpoint.
type member struct {
	*v1alpha1.Domain
	resolved endpoint.Resolved
}

// Start compares until ctx is canceled. The manager runs it only on the leader.
func (w *watch) Start(ctx context.Context) error {
	parts.Watch(ctx, w.Parts, &v1alpha1.DomainList{}, itself, w.loop().Run)
	return nil
}

// loop reads a list of each endpoint, and wakes the Domains that differ from it.
func (w *watch) loop() *compare.Loop[endpoint.Key, endpoint.Key, *group] {
	return &compare.Loop[endpoint.Key, endpoint.Key, *group]{
		Period:     w.ComparePeriod,
		Groups:     w.groups,
		EndpointOf: func(key endpoint.Key) endpoint.Key { return key },
		Compare: func(ctx context.Context, key endpoint.Key, group *group) bool {
			w.compareGroup(ctx, key, group)
			return true
		},
		Begun: w.observer.cache.Retain,
		Ended: w.countStrays,
	}
}

// groups groups the Domains by endpoint. Domains whose endpoint cannot be resolved are woken by a
// change of a Secret.
func (w *watch) groups(ctx context.Context) (map[endpoint.Key]*group, error) {
	list := &v1alpha1.DomainList{}
	if err := w.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list Domains: %w", err)
	}
	groups := map[endpoint.Key]*group{}
	for i := range list.Items {
		domain := &list.Items[i]
		resolved, err := w.Endpoints.Resolve(ctx, domain)
		if err != nil || domain.DeletionTimestamp != nil {
			continue
		}
		key := endpoint.KeyOf(resolved.Endpoint)
		if groups[key] == nil {
			groups[key] = &group{endpoint: resolved.Endpoint}
		}
		groups[key].domains = append(groups[key].domains, member{domain, resolved})
	}
	return groups, nil
}

func (w *watch) compareGroup(ctx context.Context, key endpoint.Key, group *group) {
	takaroClient, err := w.Pool.Client(group.endpoint)
	if err != nil {
		return // the Domains report it themselves
	}
	list, err := w.observer.refresh(ctx, key, takaroClient)
	if _, busy := takaro.RetryAfter(err); busy && !takaro.IsCircuitOpen(err) || takaro.IsRateLimited(err) {
		return // a requested pause is no evidence about the Domains, and the next comparison follows
	}
	if takaro.IsIncomplete(err) {
		log.FromContext(ctx).Error(err, "The list of domains proves nothing; the next comparison is in a minute", "endpoint", group.endpoint.URL)
		return
	}
	if err == nil {
		w.judgeMissing(ctx, list, group)
		group.list = list
	}
	for _, domain := range group.domains {
		newSpec := domain.Status.ObservedGeneration != domain.Generation
		reachable := meta.IsStatusConditionTrue(domain.Status.Conditions, v1alpha1.ConditionEndpointReady)
		switch {
		case takaro.IsSearchTooLarge(err) && w.WaitsFor(domain.Domain, v1alpha1.ReasonSearchTooLarge):
		case newSpec, err != nil && reachable, err == nil && !reachable && endpointFailed(domain.Domain):
			w.Queue.Add(domain.Domain)
		case err == nil && w.differs(ctx, list, domain.Domain):
			w.Queue.Add(domain.Domain)
		}
	}
}

// judgeMissing calls the keeper to compare the domains that the Domains own with a complete list,
// for each TakaroEndpoint, that is, for each namespace that provides the credentials.
func (w *watch) judgeMissing(ctx context.Context, list *snapshot, group *group) {
	type part struct {
		resolved endpoint.Resolved
		owned    map[types.NamespacedName]string
	}
	parts := map[string]part{}
	for _, domain := range group.domains {
		credentials := "" // the credentials of the installation
		if domain.Spec.CredentialsSecretRef != nil {
			credentials = domain.Namespace
		}
		if _, known := parts[credentials]; !known {
			parts[credentials] = part{domain.resolved, map[types.NamespacedName]string{}}
		}
		if record, owned := held(domain.Domain); owned {
			parts[credentials].owned[types.NamespacedName{Namespace: domain.Namespace, Name: domain.Name}] = record.ID
		}
	}
	for _, part := range parts {
		w.Keeper.Compare(ctx, part.resolved, list.Taken, part.owned, func(id string) bool {
			_, listed := w.observer.find(list, id)
			return listed
		})
	}
}

// endpointFailed reports whether the endpoint of a Domain was found to fail. That of a new Domain
// has not been tried.
func endpointFailed(domain *v1alpha1.Domain) bool {
	return meta.IsStatusConditionPresentAndEqual(domain.Status.Conditions, v1alpha1.ConditionEndpointReady, metav1.ConditionFalse)
}

// differs reports whether the list or the registration Secret differs from a Domain. A difference
// that its status already reports does not count, because the Domain then requeues itself.
func (w *watch) differs(ctx context.Context, list *snapshot, domain *v1alpha1.Domain) bool {
	owned, found := held(domain)
	if !found {
		return domain.Status.Ownership == nil
	}
	waits := func(reason string) bool { return w.WaitsFor(domain, reason) }
	record, listed := w.observer.find(list, owned.ID)
	if vanished := waits(v1alpha1.ReasonVanished); !listed || vanished {
		return listed == vanished
	}
	if update, _ := driftOf(domain, &record); update != (takaro.DomainUpdate{}) {
		onlyReference := update == takaro.DomainUpdate{ExternalReference: update.ExternalReference}
		return !onlyReference || !waits(v1alpha1.ReasonExternalReferenceTaken)
	}
	held, err := w.Secrets.Holds(ctx, domain, registrationSecretName(domain), keyToken, []byte(record.ServerRegistrationToken.Reveal()))
	return err != nil || !held
}

// itself returns the Domain, which specifies its own Takaro.
func itself(_ context.Context, domain *v1alpha1.Domain) (*v1alpha1.Domain, error) { return domain, nil }
