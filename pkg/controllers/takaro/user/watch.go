// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/compare"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// watch wakes Users whose state in Takaro changed. It reads one list per domain and period, and
// also wakes Users when an endpoint responds again.
type watch struct {
	*reconciler
}

// member is a User and its Domain.
type member struct {
	*v1alpha1.User
	domain *v1alpha1.Domain
}

// Start compares until ctx is canceled. The manager runs it only on the leader.
func (w *watch) Start(ctx context.Context) error {
	parts.Watch(ctx, w.Parts, &v1alpha1.UserList{}, w.domainOf, w.loop().Run)
	return nil
}

// loop reads a list of each domain that has Users, and wakes the Users that differ from it.
func (w *watch) loop() *compare.Loop[endpoint.Key, parts.Place, *parts.Group[member]] {
	return parts.PlaceLoop(w.Parts, "User", w.groups, w.comparePlace, w.roster.retain)
}

// comparePlace wakes the Users that differ from the list of their domain.
func (w *watch) comparePlace(ctx context.Context, at parts.Place, takaroClient *takaro.Client, users []member) {
	list, err := w.roster.refresh(ctx, at, takaroClient)
	if err != nil {
		return // the comparison of the Domain reports it
	}
	for _, user := range users {
		if w.differs(list, user.domain, user.User) {
			w.Queue.Add(user.User)
		}
	}
}

// groups groups the Users by domain, without those that wait for a domain. The endpoint of a Domain
// is resolved once.
func (w *watch) groups(ctx context.Context) (map[parts.Place]*parts.Group[member], error) {
	list := &v1alpha1.UserList{}
	if err := w.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list Users: %w", err)
	}
	domains := map[types.NamespacedName]*located{}
	groups := map[parts.Place]*parts.Group[member]{}
	for i := range list.Items {
		user := &list.Items[i]
		name := types.NamespacedName{Namespace: user.Namespace, Name: user.Spec.DomainRef.Name}
		if _, seen := domains[name]; !seen {
			domains[name] = w.locate(ctx, user)
		}
		if at := domains[name]; at != nil && user.DeletionTimestamp == nil {
			parts.Add(groups, at.endpoint, domainref.DomainID(at.domain), member{user, at.domain})
		}
	}
	return groups, nil
}

// located is a Domain with its endpoint.
type located struct {
	domain   *v1alpha1.Domain
	endpoint takaro.Endpoint
}

// locate returns the User's Domain, or nil if Takaro cannot be queried about it.
func (w *watch) locate(ctx context.Context, user *v1alpha1.User) *located {
	domain, err := w.domainOf(ctx, user)
	if err != nil || gate(user, domain) != nil {
		return nil
	}
	resolved, err := w.Endpoints.Resolve(ctx, domain)
	if err != nil {
		return nil
	}
	return &located{domain, resolved.Endpoint}
}

// differs reports whether a list differs from a User. A User that holds no user waits for something
// else, which the list may show.
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

// hasRoom reports whether the domain is below its limit of dashboard users. A limit may change, and
// users may be deleted, without a change of an API object.
func (w *watch) hasRoom(list *snapshot, domain *v1alpha1.Domain) bool {
	limits := domain.Status.ObservedLimits
	_, dashboards := w.roster.size(list)
	return limits != nil && limits.MaxUsers != nil && dashboards < int(*limits.MaxUsers)
}

// lacksRole reports whether another client removed a role.
func lacksRole(user *v1alpha1.User, record *takaro.User) bool {
	return slices.ContainsFunc(user.Status.Roles, func(name string) bool {
		return !slices.ContainsFunc(record.Roles, func(role takaro.AssignedRole) bool { return role.Role.Name == name })
	})
}
