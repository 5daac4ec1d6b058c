// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/compare"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
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

// Start compares until ctx ends. The manager runs it where it leads.
func (w *watch) Start(ctx context.Context) error {
	cancel := w.Pool.OnCircuitClosed(func(key endpoint.Key) { go w.wakeEndpoint(ctx, key) })
	defer cancel()
	w.loop().Run(ctx)
	return nil
}

// loop takes a list of each domain that has Users, and wakes those that it does not agree with.
func (w *watch) loop() *compare.Loop[endpoint.Key, place, []*group] {
	return &compare.Loop[endpoint.Key, place, []*group]{
		Period:     w.period,
		Groups:     w.groups,
		EndpointOf: func(at place) endpoint.Key { return at.endpoint },
		Compare:    w.comparePlace,
		Begun:      w.roster.retain,
		Ended: func(_ context.Context, _ map[place][]*group, took time.Duration) {
			compareDuration.Set(took.Seconds())
		},
	}
}

// comparePlace wakes the Users that the list of their domain does not agree with. It reports whether
// Takaro can be asked for other lists.
func (w *watch) comparePlace(ctx context.Context, at place, groups []*group) bool {
	takaroClient, err := w.Pool.Client(groups[0].endpoint)
	if err != nil || takaroClient.Pace(ctx, w.qps) != nil {
		return false // the Domains say why
	}
	list, err := w.roster.refresh(ctx, at, takaroClient)
	if err != nil {
		return true // the Domain's own comparison tells
	}
	for _, group := range groups {
		for _, user := range group.users {
			if w.differs(list, group.domain, user) {
				w.Queue.Add(user)
			}
		}
	}
	return true
}

// groups returns the Users by domain, without those that wait for one. A domain has normally one
// Domain.
func (w *watch) groups(ctx context.Context) (map[place][]*group, error) {
	list := &v1alpha1.UserList{}
	if err := w.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list Users: %w", err)
	}
	byDomain := map[types.NamespacedName]*group{}
	for i := range list.Items {
		user := &list.Items[i]
		name := types.NamespacedName{Namespace: user.Namespace, Name: user.Spec.DomainRef.Name}
		if _, seen := byDomain[name]; !seen {
			byDomain[name] = w.groupOf(ctx, user)
		}
		if group := byDomain[name]; group != nil && user.DeletionTimestamp == nil {
			group.users = append(group.users, user)
		}
	}
	groups := map[place][]*group{}
	for _, group := range byDomain {
		if group != nil && len(group.users) > 0 {
			groups[group.place()] = append(groups[group.place()], group)
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
	resolved, err := w.Endpoints.Resolve(ctx, domain)
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
		return w.hasRoom(list, domain) && w.WaitsFor(user, v1alpha1.ReasonMaxUsersReached)
	}
	record, listed := w.roster.byID(list, id)
	if !listed {
		return true
	}
	w.gone.Present(user.UID)
	_, fields := drift(&user.Spec, &record)
	if w.WaitsFor(user, v1alpha1.ReasonMaxUsersReached) {
		return w.hasRoom(list, domain)
	}
	return w.Fulfilled(user) && (len(fields) > 0 || lacksRole(user, &record))
}

// hasRoom reports whether the domain takes another dashboard user. A limit is corrected, and users
// are deleted, without a change of an API object.
func (w *watch) hasRoom(list *snapshot, domain *v1alpha1.Domain) bool {
	limits := domain.Status.ObservedLimits
	_, dashboards := w.roster.size(list)
	return limits != nil && limits.MaxUsers != nil && dashboards < int(*limits.MaxUsers)
}

// lacksRole tells whether others took away a role.
func lacksRole(user *v1alpha1.User, record *takaro.User) bool {
	return slices.ContainsFunc(user.Status.Roles, func(name string) bool {
		return !slices.ContainsFunc(record.Roles, func(role takaro.AssignedRole) bool { return role.Role.Name == name })
	})
}

// wakeEndpoint wakes the Users of an endpoint that answers again.
func (w *watch) wakeEndpoint(ctx context.Context, key endpoint.Key) {
	if err := parts.Wake(ctx, w.Parts, key, &v1alpha1.UserList{}, w.domainOf); err != nil {
		log.FromContext(ctx).Error(err, "Waking the Users of an endpoint failed; they wake by themselves")
	}
}
