// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/scaffold"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/takaro"
)

// comparePeriod is between comparisons of Takaro's users with ours.
const comparePeriod = time.Minute

var compareDuration = counts.CompareDuration.WithLabelValues("User")

// watch wakes Users whose Takaro side changed: by one list per domain and period, and when an endpoint answers again.
type watch struct {
	*reconciler
	period time.Duration
	// qps is how many lists a second each Takaro is asked for at most, those for other kinds included: the rest of its rate
	// is for new and changed objects.
	qps float64

	queue scaffold.Queue
}

// group is the Users of one Domain.
type group struct {
	domain   *v1alpha1.Domain
	endpoint takaro.Endpoint
	users    []*v1alpha1.User
}

func (g *group) place() place {
	return place{endpoint: endpoint.KeyOf(g.endpoint), domainID: domainref.DomainID(g.domain)}
}

// Start compares until ctx ends. The manager runs it where it leads. A comparison that takes longer than a period,
// since there are very many domains, is followed by the next one at once: the period stretches.
func (w *watch) Start(ctx context.Context) error {
	cancel := w.pool.OnCircuitClosed(func(key endpoint.Key) { go w.wakeEndpoint(ctx, key) })
	defer cancel()
	wait.JitterUntilWithContext(ctx, w.compare, w.period, 0.2, false)
	return nil
}

// compare takes a list of each domain that has Users and wakes those that it does not agree with.
func (w *watch) compare(ctx context.Context) {
	begin := time.Now()
	groups, err := w.groups(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "Comparing with Takaro failed")
		return
	}
	used, byEndpoint := map[place]bool{}, map[endpoint.Key][]*group{}
	for _, group := range groups {
		used[group.place()] = true
		key := group.place().endpoint
		byEndpoint[key] = append(byEndpoint[key], group)
	}
	var all sync.WaitGroup
	for _, groups := range byEndpoint {
		all.Go(func() { w.compareEndpoint(ctx, groups) })
	}
	all.Wait()
	w.roster.retain(used)
	compareDuration.Set(time.Since(begin).Seconds())
}

// compareEndpoint asks an endpoint for its lists one after the other.
func (w *watch) compareEndpoint(ctx context.Context, groups []*group) {
	for _, group := range groups {
		takaroClient, err := w.pool.Client(group.endpoint)
		if err != nil || takaroClient.Pace(ctx, w.qps) != nil {
			return // the Domains say why
		}
		list, err := w.roster.refresh(ctx, group.place(), takaroClient)
		if err != nil {
			continue // the Domain's own comparison tells
		}
		for _, user := range group.users {
			if w.differs(list, group.domain, user) {
				w.queue.Add(user)
			}
		}
	}
}

// groups sorts the Users by Domain, without those that wait for one.
func (w *watch) groups(ctx context.Context) (map[types.NamespacedName]*group, error) {
	list := &v1alpha1.UserList{}
	if err := w.client.List(ctx, list); err != nil {
		return nil, err
	}
	groups := map[types.NamespacedName]*group{}
	for i := range list.Items {
		user := &list.Items[i]
		name := types.NamespacedName{Namespace: user.Namespace, Name: user.Spec.DomainRef.Name}
		if _, seen := groups[name]; !seen {
			groups[name] = w.groupOf(ctx, user)
		}
		if group := groups[name]; group != nil && user.DeletionTimestamp == nil {
			group.users = append(group.users, user)
		}
	}
	for name, group := range groups {
		if group == nil || len(group.users) == 0 {
			delete(groups, name)
		}
	}
	return groups, nil
}

// groupOf returns an empty group of the User's Domain, nil when Takaro cannot be asked about it.
func (w *watch) groupOf(ctx context.Context, user *v1alpha1.User) *group {
	domain, err := w.domainOf(ctx, user)
	if err != nil || gate(user, domain) != nil {
		return nil
	}
	resolved, err := w.endpoints.Resolve(ctx, domain)
	if err != nil {
		return nil
	}
	return &group{domain: domain, endpoint: resolved.Endpoint}
}

// differs reports whether a list does not agree with a User. One that holds no user waits for
// something else, which the list may show.
func (w *watch) differs(list *snapshot, domain *v1alpha1.Domain, user *v1alpha1.User) bool {
	if user.Status.ObservedGeneration != user.Generation {
		return true
	}
	id := heldID(user)
	if id == "" {
		return w.hasRoom(list, domain) && waitsFor(user, v1alpha1.ReasonMaxUsersReached)
	}
	record, listed := w.roster.byID(list, id)
	if !listed {
		return true
	}
	w.gone.Present(user.UID)
	_, fields := drift(&user.Spec, &record)
	if waitsFor(user, v1alpha1.ReasonMaxUsersReached) {
		return w.hasRoom(list, domain)
	}
	return ready(user) && (len(fields) > 0 || lacksRole(user, &record))
}

// hasRoom reports whether the domain takes another dashboard user. A limit is corrected, and users
// are deleted, without a change of an API object.
func (w *watch) hasRoom(list *snapshot, domain *v1alpha1.Domain) bool {
	limits := domain.Status.ObservedLimits
	_, dashboards := w.roster.size(list)
	return limits != nil && limits.MaxUsers != nil && dashboards < int(*limits.MaxUsers)
}

func waitsFor(user *v1alpha1.User, reason string) bool {
	found := meta.FindStatusCondition(user.Status.Conditions, v1alpha1.ConditionReady)
	return found != nil && found.Reason == reason
}

// lacksRole tells whether others took away a role.
func lacksRole(user *v1alpha1.User, record *takaro.User) bool {
	return slices.ContainsFunc(user.Status.Roles, func(name string) bool {
		return !slices.ContainsFunc(record.Roles, func(role takaro.AssignedRole) bool { return role.Role.Name == name })
	})
}

// wakeEndpoint wakes the Users of an endpoint that answers again.
func (w *watch) wakeEndpoint(ctx context.Context, key endpoint.Key) {
	list := &v1alpha1.UserList{}
	if err := w.client.List(ctx, list); err != nil {
		log.FromContext(ctx).Error(err, "Waking the Users of an endpoint failed; they wake by themselves")
		return
	}
	for i := range list.Items {
		user := &list.Items[i]
		domain, err := w.domainOf(ctx, user)
		if err != nil || domain == nil {
			continue
		}
		if resolved, err := w.endpoints.Resolve(ctx, domain); err == nil && endpoint.KeyOf(resolved.Endpoint) == key {
			w.queue.Add(user)
		}
	}
}
