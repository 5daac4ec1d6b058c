// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// snapshotLife is the maximum age of a list that proves that game servers are as specified. A
	// list is read every minute, so an older one means that Takaro does not respond.
	snapshotLife = 3 * time.Minute
	// freshLife is the maximum age of a list while the controller waits for a change. All
	// MockServers of a domain share one list.
	freshLife = time.Second
	// pollSoon is the delay between checks while pods start, because a registration is not reported
	// otherwise. pollLate is the delay after the usual duration of a start.
	pollSoon = time.Second
	pollLate = 15 * time.Second
	// starting is the maximum duration of a start, including the pull of the image. The mock server
	// itself needs about 12 s.
	starting = time.Minute
	// registering is the maximum time from the start of the program until its game server is
	// registered.
	registering = 20 * time.Second
)

// register ensures that each pod has a game server with the specified name that is reachable for
// Takaro, and that there are no other game servers.
func (r *reconciler) register(ctx context.Context, a *attempt) *base.Blocked {
	again, blocked := r.removeSurplus(ctx, a)
	if blocked != nil {
		return blocked
	}
	a.again = soonest(a.again, again)
	records := recordsOf(a.server, a.list.Rows)
	if blocked := r.rename(ctx, a, records); blocked != nil {
		return blocked
	}
	r.show(a, records)
	seen := viewOf(a, records, len(a.list.Rows))
	seen.hint = hintOf(a, records, func(p pod) bool { return r.overdue(a, p) })
	wait, err := r.restartUnreachable(ctx, a, records, &seen)
	if err != nil {
		return problem.Classify("restarting a pod whose game server is not reached", err)
	}
	return r.assess(a, seen, wait)
}

func replicasOf(server *v1alpha1.MockServer) int { return int(ptr.Deref(server.Spec.Replicas, 1)) }

// rename sets the names of game servers that users see. They register with their identity as name.
func (r *reconciler) rename(ctx context.Context, a *attempt, records map[int]takaro.GameServer) *base.Blocked {
	for _, ordinal := range slices.Sorted(maps.Keys(records)) {
		record, wanted := records[ordinal], displayName(a.server, ordinal)
		if record.Name == wanted || !r.conflicts.due(record.ID) {
			continue
		}
		changed, err := a.Client.RenameGameServer(ctx, a.place.DomainID, record.ID, wanted, identity(a.server, ordinal))
		switch {
		case takaro.IsConflict(err):
			if r.conflicts.add(record.ID) {
				r.warnOne(a, ordinal, eventNameTaken, "another game server of the domain, or one that was deleted in the last two hours, "+
					"is called %q, so this one keeps the name %q", wanted, record.Name)
			}
			continue
		case takaro.IsNotFound(err):
			r.roster.Forget(a.place)
			delete(records, ordinal)
			continue
		case err != nil:
			return classify("naming a game server in Takaro", err)
		}
		r.roster.Forget(a.place)
		r.conflicts.forget(record.ID)
		record.Name = changed.Name
		records[ordinal] = record
	}
	return nil
}

// show sets the game servers in the status.
func (r *reconciler) show(a *attempt, records map[int]takaro.GameServer) {
	status := &a.server.Status
	status.GameServers, status.Reachable = nil, 0
	for _, ordinal := range slices.Sorted(maps.Keys(records)) {
		record := records[ordinal]
		if ordinal < replicasOf(a.server) && record.Reachable {
			status.Reachable++
		}
		status.GameServers = append(status.GameServers, v1alpha1.MockGameServer{Name: record.Name, ID: record.ID, Reachable: record.Reachable})
		known := slices.ContainsFunc(a.before.GameServers, func(old v1alpha1.MockGameServer) bool { return old.ID == record.ID })
		if !known {
			gameServersCreated.Inc()
			r.noteOne(a, ordinal, eventRegistered, "game server %q registered with Takaro", record.Name)
		}
	}
	slices.SortFunc(status.GameServers, func(x, y v1alpha1.MockGameServer) int {
		if len(x.Name) != len(y.Name) { // a-9 sorts before a-10
			return len(x.Name) - len(y.Name)
		}
		return strings.Compare(x.Name, y.Name)
	})
}

// restartUnreachable deletes pods whose game servers have been unreachable for too long, or from
// which no event was received: the mock server never identifies again after a dropped connection.
// It returns the delay until the next pod may be due, or 0 for none.
func (r *reconciler) restartUnreachable(
	ctx context.Context, a *attempt, records map[int]takaro.GameServer, seen *view,
) (next time.Duration, err error) {
	for ordinal := range replicasOf(a.server) {
		p, there := a.pods[ordinal]
		record, registered := records[ordinal]
		down := there && p.crashed && !p.up
		silent := registered && record.Reachable && r.silences.due(record.ID, p)
		switch {
		case registered && record.Reachable && !down && !silent:
			r.restarts.reached(a.server.UID, ordinal)
			continue
		case !there || p.leaving || !p.up && !p.crashed:
			continue
		case seen.full && !registered:
			continue // a restart does not free a place
		}
		if left := r.patience(a, ordinal, p, record, silent); left > 0 {
			next = soonest(next, left)
			continue
		}
		if left, held := r.limit.take(a.place.Endpoint, 1); left > 0 {
			next, seen.held = soonest(next, left), held
			continue
		}
		if err := r.deletePod(ctx, a.server, p); err != nil {
			return 0, err
		}
		if silent {
			r.silences.restarted(record.ID)
			r.warnOne(a, ordinal, eventPodRestarted, "Takaro has stored no event of game server %q for %s although it reaches it "+
				"and its simulation runs; pod %q was restarted", record.Name, silenceLimit, p.name)
			continue
		}
		r.restarts.restarted(a.server.UID, ordinal)
		r.warnOne(a, ordinal, eventPodRestarted,
			"Takaro has not reached game server %q for too long though pod %q is there; the pod was restarted",
			displayName(a.server, ordinal), p.name)
	}
	return next, nil
}

// patience returns how much longer to wait before the pod of an unreachable game server is
// restarted.
func (r *reconciler) patience(a *attempt, ordinal int, p pod, record takaro.GameServer, silent bool) time.Duration {
	if silent || p.crashed && !p.up && wasBarred(a.before) {
		return 0 // the cause of the exit is resolved, and the kubelet may wait for minutes
	}
	return r.restarts.remaining(a.server.UID, ordinal, p, lostSince(a.before, record.ID))
}

// soonest returns the shorter of two delays, where 0 means never.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// assess returns what the MockServer still waits for, and when to check again.
func (r *reconciler) assess(a *attempt, seen view, restart time.Duration) *base.Blocked {
	reason, message := seen.verdict()
	setProgress(a.server, seen)
	if a.stopped != nil {
		return a.stopped
	}
	if reason == "" {
		a.again = soonest(a.again, restart)
		return nil
	}
	wait := pollLate
	if since := a.changedAt(); r.Clock.Since(since) < starting {
		wait = pollSoon
	}
	if restart > 0 {
		wait = min(wait, restart)
	}
	return &base.Blocked{Reason: reason, Message: message, RequeueAfter: max(wait, minWait)}
}

// overdue reports whether the game server of a pod should be registered by now: its program has
// been running for long enough, or the problem has lasted longer than a complete start.
func (r *reconciler) overdue(a *attempt, p pod) bool {
	runs := p.up && !p.started.IsZero() && r.Clock.Since(p.started) >= min(registering, r.restarts.limit)
	return runs || r.Clock.Since(a.changedAt()) >= min(starting, r.restarts.limit)
}

// minWait is a minimum delay, since 0 means never.
const minWait = 50 * time.Millisecond
