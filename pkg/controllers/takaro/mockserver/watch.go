// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/compare"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// watch wakes MockServers whose state in Takaro changed, based on one list per domain and period.
// It also wakes MockServers whose login no longer exists in Redis, and those of an endpoint that
// responds again.
type watch struct {
	*reconciler
}

// Start compares until ctx is canceled. The manager runs it only on the leader.
func (w *watch) Start(ctx context.Context) error {
	parts.Watch(ctx, w.Parts, &v1alpha1.MockServerList{}, w.specOf, w.loop().Run, w.loginLoop().Run)
	return nil
}

// loop reads a list of each domain that has MockServers, and wakes the MockServers that differ from
// it.
func (w *watch) loop() *compare.Loop[endpoint.Key, parts.Place, *parts.Group[*v1alpha1.MockServer]] {
	return parts.PlaceLoop(w.Parts, "MockServer", w.groups, w.comparePlace, w.roster.Retain)
}

// comparePlace wakes the MockServers that differ from the list of their domain.
func (w *watch) comparePlace(ctx context.Context, at parts.Place, takaroClient *takaro.Client, servers []*v1alpha1.MockServer) {
	list, err := w.roster.refresh(ctx, at, takaroClient)
	for _, server := range servers {
		// The object reports an error. A foreign domain has no Domain that would.
		if err != nil && server.Spec.DomainRef == nil || err == nil && w.differs(ctx, at, takaroClient, list.Rows, server) {
			w.Queue.Add(server)
		}
	}
}

// groups groups the MockServers by Takaro domain, without those that wait for a domain.
func (w *watch) groups(ctx context.Context) (map[parts.Place]*parts.Group[*v1alpha1.MockServer], error) {
	list := &v1alpha1.MockServerList{}
	if err := w.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list MockServers: %w", err)
	}
	groups, living := map[parts.Place]*parts.Group[*v1alpha1.MockServer]{}, map[types.UID]bool{}
	defer func() { w.silences.retain(living) }()
	for i := range list.Items {
		living[list.Items[i].UID] = true
		a := &attempt{server: &list.Items[i]}
		var err error
		if a.domain, err = w.domainOf(ctx, a.server); err != nil || a.server.DeletionTimestamp != nil || gate(a.server, a.domain) != nil {
			continue
		}
		if a.Resolved, err = w.Endpoints.Resolve(ctx, a.takaroSpec()); err != nil {
			continue
		}
		if id, known := w.knownID(a); known {
			parts.Add(groups, a.Resolved.Endpoint, id, a.server)
		}
	}
	return groups, nil
}

// placeOf returns the place of a domain at the attempt's endpoint.
func (a *attempt) placeOf(id string) parts.Place {
	return parts.Place{Endpoint: a.Key, DomainID: id}
}

// knownID returns the Takaro id of the domain of a MockServer, if it is known without a request.
func (w *watch) knownID(a *attempt) (string, bool) {
	if a.domain != nil {
		return domainref.DomainID(a.domain), true
	}
	return w.foreign.id(a.server.UID)
}

// differs reports whether a MockServer must be reconciled because of its state in Takaro.
func (w *watch) differs(
	ctx context.Context, at parts.Place, takaroClient *takaro.Client, list []takaro.GameServer, server *v1alpha1.MockServer,
) bool {
	w.noteReached(at, server, list)
	if differs(list, server) || w.misnamed(list, server) {
		return true
	}
	silent, err := w.findSilent(ctx, at, takaroClient, server, list)
	if err != nil && ctx.Err() == nil {
		log.FromContext(ctx).Error(err, "Searching for the events of a MockServer failed", "namespace", server.Namespace, "name", server.Name)
	}
	return silent
}

// misnamed reports whether a game server does not have the specified name, and may be renamed now.
func (w *watch) misnamed(list []takaro.GameServer, server *v1alpha1.MockServer) bool {
	for ordinal, record := range recordsOf(server, list) {
		if ordinal < replicasOf(server) && record.Name != displayName(server, ordinal) && w.conflicts.due(record.ID) {
			return true
		}
	}
	return false
}

// differs reports whether a list differs from the status of a MockServer.
func differs(list []takaro.GameServer, server *v1alpha1.MockServer) bool {
	records := recordsOf(server, list)
	status := &server.Status
	if status.Ownership == nil || status.ObservedGeneration != server.Generation || len(records) != len(status.GameServers) {
		return true
	}
	for _, row := range list {
		ordinal, ours := ordinalOf(server, objectOf(row).Reference)
		if _, held := records[ordinal]; ours && !held && ordinal < replicasOf(server) {
			return true
		}
	}
	for _, record := range records {
		shown := v1alpha1.MockGameServer{Name: record.Name, ID: record.ID, Reachable: record.Reachable}
		if !slices.Contains(server.Status.GameServers, shown) {
			return true
		}
	}
	return false
}

// specOf returns the specification of the Takaro endpoint of a MockServer, or nil if its Domain
// does not exist.
func (r *reconciler) specOf(ctx context.Context, server *v1alpha1.MockServer) (*v1alpha1.Domain, error) {
	domain, err := r.domainOf(ctx, server)
	a := &attempt{server: server, domain: domain}
	return a.takaroSpec(), err
}
