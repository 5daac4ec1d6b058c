// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

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

// comparePeriod is between comparisons of Takaro's game servers with ours.
const comparePeriod = time.Minute

var compareDuration = counts.CompareDuration.WithLabelValues("MockServer")

// watch wakes MockServers whose Takaro side changed, by one list per domain and period; whose login Redis has lost; and
// those of an endpoint that answers again.
type watch struct {
	*reconciler
	period time.Duration
	// qps is how many lists a second each Takaro is asked for at most, those for other kinds included: the rest of its rate
	// is for new and changed objects.
	qps float64

	queue scaffold.Queue
}

// group is the MockServers of one Takaro domain.
type group struct {
	endpoint takaro.Endpoint
	servers  []*v1alpha1.MockServer
}

// Start compares until ctx ends. The manager runs it where it leads. A comparison that takes longer than a period,
// since there are very many domains, is followed by the next one at once: the period stretches.
func (w *watch) Start(ctx context.Context) error {
	cancel := w.pool.OnCircuitClosed(func(key endpoint.Key) { go w.wakeEndpoint(ctx, key) })
	defer cancel()
	wait.JitterUntilWithContext(ctx, w.compare, w.period, 0.2, false)
	return nil
}

// compare takes a list of each domain that has MockServers and wakes those that it does not agree with.
func (w *watch) compare(ctx context.Context) {
	begin := time.Now()
	list := &v1alpha1.MockServerList{}
	if err := w.client.List(ctx, list); err != nil {
		log.FromContext(ctx).Error(err, "Comparing with Takaro failed")
		return
	}
	groups := w.groups(ctx, list.Items)
	living := map[types.UID]bool{}
	for i := range list.Items {
		living[list.Items[i].UID] = true
	}
	w.silences.retain(living)
	used, byEndpoint := map[place]bool{}, map[endpoint.Key][]place{}
	for at := range groups {
		used[at] = true
		byEndpoint[at.endpoint] = append(byEndpoint[at.endpoint], at)
	}
	var all sync.WaitGroup
	for _, places := range byEndpoint {
		all.Go(func() { w.compareEndpoint(ctx, places, groups) })
	}
	all.Go(func() { w.compareLogins(ctx, list.Items) })
	all.Wait()
	w.roster.retain(used)
	compareDuration.Set(time.Since(begin).Seconds())
}

// compareEndpoint asks an endpoint for its lists one after the other.
func (w *watch) compareEndpoint(ctx context.Context, places []place, groups map[place]*group) {
	for _, at := range places {
		takaroClient, err := w.pool.Client(groups[at].endpoint)
		if err != nil || takaroClient.Pace(ctx, w.qps) != nil {
			return // the objects say why
		}
		list, err := w.roster.refresh(ctx, at, takaroClient)
		for _, server := range groups[at].servers {
			// An error is the object's to tell; a foreign domain has no Domain that would.
			if err != nil && server.Spec.DomainRef == nil || err == nil && w.differs(ctx, at, takaroClient, list.servers, server) {
				w.queue.Add(server)
			}
		}
	}
}

// groups sorts the MockServers by Takaro domain, without those that wait for one.
func (w *watch) groups(ctx context.Context, servers []v1alpha1.MockServer) map[place]*group {
	groups := map[place]*group{}
	for i := range servers {
		a := &attempt{server: &servers[i]}
		var err error
		if a.domain, err = w.domainOf(ctx, a.server); err != nil || a.server.DeletionTimestamp != nil || gate(a.server, a.domain) != nil {
			continue
		}
		if a.endpoint, err = w.endpoints.Resolve(ctx, a.takaroSpec()); err != nil {
			continue
		}
		id, known := w.knownID(a)
		if !known {
			continue
		}
		at := a.placeOf(id)
		if groups[at] == nil {
			groups[at] = &group{endpoint: a.endpoint.Endpoint}
		}
		groups[at].servers = append(groups[at].servers, a.server)
	}
	return groups
}

// placeOf returns the place of a domain of the attempt's endpoint.
func (a *attempt) placeOf(id string) place {
	return place{endpoint: endpoint.KeyOf(a.endpoint.Endpoint), domainID: id}
}

// knownID returns the Takaro id of the domain of a MockServer, as far as it is known without asking.
func (w *watch) knownID(a *attempt) (string, bool) {
	if a.domain != nil {
		return domainref.DomainID(a.domain), true
	}
	return w.foreign.id(a.server.UID)
}

// differs reports whether a MockServer has to be reconciled for what Takaro says of it.
func (w *watch) differs(
	ctx context.Context, at place, takaroClient *takaro.Client, list []takaro.GameServer, server *v1alpha1.MockServer,
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

// misnamed reports whether a game server has another name than it should, and may be renamed by now.
func (w *watch) misnamed(list []takaro.GameServer, server *v1alpha1.MockServer) bool {
	for ordinal, record := range recordsOf(server, list) {
		if ordinal < replicasOf(server) && record.Name != displayName(server, ordinal) && w.conflicts.due(record.ID) {
			return true
		}
	}
	return false
}

// differs reports whether a list does not agree with the status of a MockServer.
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

// compareLogins wakes the MockServers whose users the shared Redis has lost.
func (w *watch) compareLogins(ctx context.Context, servers []v1alpha1.MockServer) {
	shared := slices.DeleteFunc(slices.Clone(servers), func(server v1alpha1.MockServer) bool {
		return server.Spec.Redis != nil || server.DeletionTimestamp != nil || !begun(&server)
	})
	if len(shared) == 0 {
		return
	}
	target, blocked := w.sharedRedis(ctx)
	if blocked != nil {
		return // each says so itself
	}
	users, err := w.redis.users(ctx, target)
	if err != nil {
		log.FromContext(ctx).Error(err, "Looking at the users of the shared Redis failed")
		return
	}
	for i := range shared {
		if mark := markOf(&shared[i]); !slices.Contains(users, aclUser(mark)) {
			w.redis.forget(mark)
			w.queue.Add(&shared[i])
		}
	}
}

// wakeEndpoint wakes the MockServers of an endpoint that answers again.
func (w *watch) wakeEndpoint(ctx context.Context, key endpoint.Key) {
	list := &v1alpha1.MockServerList{}
	if err := w.client.List(ctx, list); err != nil {
		log.FromContext(ctx).Error(fmt.Errorf("listing MockServers: %w", err), "Waking the MockServers of an endpoint failed; they wake by themselves")
		return
	}
	for i := range list.Items {
		a := &attempt{server: &list.Items[i]}
		var err error
		if a.domain, err = w.domainOf(ctx, a.server); err != nil || a.server.Spec.DomainRef != nil && a.domain == nil {
			continue
		}
		if resolved, err := w.endpoints.Resolve(ctx, a.takaroSpec()); err == nil && endpoint.KeyOf(resolved.Endpoint) == key {
			w.queue.Add(a.server)
		}
	}
}
