// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	// restartWindow is the period in which restartShare percent of an endpoint's game servers, but
	// at least one, may be restarted.
	restartWindow = time.Minute
	restartShare  = 10
	// heldShare is the maximum percentage of unreachable game servers of an endpoint. Above it, the
	// pods are most likely not the cause, and restarts are held.
	heldShare = 50
	// probePeriod is the time between the restarts of one pod while restarts are held. After a
	// restart of Takaro's connector, game servers register again only after a restart, so one pod
	// has to try.
	probePeriod = 10 * time.Minute
	// heldPause is the delay between checks whether restarts are still held.
	heldPause = 15 * time.Second
	// settling is how long after the start of the process a hold that an earlier process showed is
	// kept: until then, not all game servers are known.
	settling = 2 * time.Minute
)

// restartLimit limits how many pods of an endpoint's game servers are restarted at the same time,
// across all MockServers. Its state is kept in memory only.
type restartLimit struct {
	clock clock.PassiveClock

	// show publishes which pods are not restarted at a TakaroEndpoint. If it is nil, nothing is
	// published.
	show func(at types.NamespacedName, of endpoint.Key, pods []string)

	mu        sync.Mutex
	endpoints map[endpoint.Key]*restartBudget
	of        map[types.UID]endpoint.Key
	// places are the TakaroEndpoints of MockServers.
	places map[types.UID]types.NamespacedName
}

// restartBudget is the state of one endpoint.
type restartBudget struct {
	servers map[types.UID]reached
	// spent contains the times of the restarts within the window.
	spent []time.Time
	// held is set if restarts are held because the share was exceeded. probed is when a pod was
	// restarted despite the hold. proved is when a game server last became reachable again.
	held           bool
	probed, proved time.Time
	// since is when the first game server became known. shown contains the TakaroEndpoints that
	// show the hold.
	since time.Time
	shown sets.Set[types.NamespacedName]
}

// reached is the number of game servers of a MockServer, and the pods of the unreachable ones, as
// namespace/name.
type reached struct {
	all         int
	unreachable []string
}

func newRestartLimit(clock clock.PassiveClock) *restartLimit {
	return &restartLimit{clock: clock, endpoints: map[endpoint.Key]*restartBudget{}, of: map[types.UID]endpoint.Key{},
		places: map[types.UID]types.NamespacedName{}}
}

// locate records the TakaroEndpoint of a MockServer.
func (l *restartLimit) locate(server types.UID, at types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.places[server] = at
}

// note records the state of the game servers of a MockServer.
func (l *restartLimit) note(at endpoint.Key, server types.UID, all int, unreachable []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[server] != at {
		l.drop(server)
	}
	budget := l.endpoints[at]
	if budget == nil {
		budget = &restartBudget{servers: map[types.UID]reached{}, since: l.clock.Now(), shown: sets.New[types.NamespacedName]()}
		l.endpoints[at] = budget
	}
	if budget.held && len(unreachable) < len(budget.servers[server].unreachable) {
		budget.proved = l.clock.Now()
	}
	l.of[server] = at
	budget.servers[server] = reached{all: all, unreachable: unreachable}
	budget.judge(l.clock.Now())
	l.report(at, budget)
}

// report publishes which pods are held. The caller must hold mu.
func (l *restartLimit) report(of endpoint.Key, budget *restartBudget) {
	if l.show == nil {
		return
	}
	pods := map[types.NamespacedName][]string{}
	for server, known := range budget.servers {
		if at, located := l.places[server]; located {
			pods[at] = append(pods[at], known.unreachable...)
		}
	}
	for at := range budget.shown {
		if _, used := pods[at]; !used {
			l.show(at, of, nil)
			budget.shown.Delete(at)
		}
	}
	for at, names := range pods {
		switch {
		case budget.held:
			slices.Sort(names)
			l.show(at, of, names)
			budget.shown.Insert(at)
		case l.clock.Since(budget.since) >= settling:
			l.show(at, of, nil)
			budget.shown.Insert(at)
		}
	}
}

// judge decides whether restarts are held.
func (b *restartBudget) judge(now time.Time) {
	all, unreachable := b.count()
	b.held = unreachable > max(ownership.HoldFloor, all*heldShare/100) && now.Sub(b.proved) >= probePeriod
	if !b.held {
		b.probed = time.Time{}
	}
}

func (b *restartBudget) count() (all, unreachable int) {
	for _, server := range b.servers {
		all, unreachable = all+server.all, unreachable+len(server.unreachable)
	}
	return all, unreachable
}

// take returns 0 if n pods of the endpoint may be restarted now, and counts these restarts.
// Otherwise it returns when to call it again, and why restarts are held, if they are.
func (l *restartLimit) take(at endpoint.Key, n int) (wait time.Duration, held string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock.Now()
	budget := l.endpoints[at]
	if budget == nil {
		return 0, ""
	}
	budget.judge(now)
	l.report(at, budget)
	all, unreachable := budget.count()
	if budget.held {
		if now.Sub(budget.probed) < probePeriod {
			return heldPause, fmt.Sprintf("%d of %d game servers of this Takaro are unreachable, so pods are not restarted, except for one "+
				"every %s. Restarts resume by themselves when a game server is reached again. Check Takaro's connector.", unreachable, all, probePeriod)
		}
		budget.probed = now
		return 0, ""
	}
	budget.spent = slices.DeleteFunc(budget.spent, func(at time.Time) bool { return now.Sub(at) >= restartWindow })
	if spent := len(budget.spent); spent > 0 && spent+n > max(1, all*restartShare/100) {
		return max(restartWindow-now.Sub(budget.spent[0]), minWait), ""
	}
	for range n {
		budget.spent = append(budget.spent, now)
	}
	return 0, ""
}

// forget removes the state of a MockServer.
func (l *restartLimit) forget(server types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(server)
	delete(l.places, server)
}

func (l *restartLimit) drop(server types.UID) {
	at, known := l.of[server]
	if !known {
		return
	}
	delete(l.of, server)
	budget := l.endpoints[at]
	delete(budget.servers, server)
	budget.judge(l.clock.Now())
	l.report(at, budget)
	if len(budget.servers) == 0 {
		delete(l.endpoints, at)
	}
}
