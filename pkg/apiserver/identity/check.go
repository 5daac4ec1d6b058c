// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// patience is how many checks in a row may fail to reach etcd before requests are refused. One may be a hiccup.
const patience = 2

// Check compares store and record now, does what follows (makes both at a first start, completes an acceptance, raises the
// mirrored revision), opens or closes the gate, and returns the state.
func (g *Guard) Check(ctx context.Context) State {
	g.checking.Lock()
	defer g.checking.Unlock()
	floor := g.floor()
	found, err := g.lookAtStore(ctx)
	if err != nil {
		return g.State()
	}
	known, err := g.lookAtHost(ctx)
	if err != nil {
		g.conclude(HostUnreachable, Seen{StoreID: found.id}, err)
		return HostUnreachable
	}
	seen := g.put(found, known, floor)
	state := Decide(seen)
	if g.wanted(seen, known) {
		err = g.accept(ctx, seen, known)
	} else {
		err = g.follow(ctx, state, seen, known, found)
	}
	if err != nil {
		klog.FromContext(ctx).Info("Store identity: the next check tries again", "state", state, "err", err)
	} else if state == FirstStart || g.wanted(seen, known) {
		// What was written now is read like anything else.
		g.again()
	}
	if state == FirstStart && err == nil {
		return state
	}
	g.conclude(state, seen, err)
	return state
}

// lookAtStore concludes by itself when etcd does not answer.
func (g *Guard) lookAtStore(ctx context.Context) (contents, error) {
	call, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	found, err := g.store.look(call)
	if err == nil {
		g.failures = 0
		g.saw(found.revision)
		return found, nil
	}
	if ctx.Err() != nil { // the server ends
		return contents{}, err
	}
	g.failures++
	if g.State() != Fits || g.failures >= patience {
		g.conclude(StoreUnreachable, Seen{}, err)
	} else {
		g.again()
	}
	return contents{}, err
}

// lookAtHost takes what it knows when the host does not answer: a host that is away for a while changes nothing.
func (g *Guard) lookAtHost(ctx context.Context) (*knowledge, error) {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	known, err := g.host.look(call)
	if err != nil && g.known != nil {
		klog.FromContext(ctx).Info("Store identity: the record cannot be read now; the one that was read last counts", "err", err)
		return g.known, nil
	}
	if err != nil {
		return nil, err
	}
	g.known = known
	return known, nil
}

// put joins what store and host say.
func (g *Guard) put(found contents, known *knowledge, floor int64) Seen {
	seen := Seen{
		StoreID: found.id, Objects: found.objects, Restored: found.restored, Revision: found.revision,
		Record: known.record, Damage: known.damage, ClusterUID: known.clusterUID,
	}
	// An older copy gets ahead of the record in time: compaction and others who share the etcd raise its revision.
	accepted := known.annotation(storeidentity.AcceptedTimeAnnotation)
	if g.older != nil && *g.older != accepted {
		g.older = nil
	}
	marked := found.id != "" && known.annotation(storeidentity.OlderAnnotation) == found.id
	seen.Older = marked || g.older != nil || found.revision < floor
	if Decide(seen) == StoreOlder && g.older == nil {
		g.older = &accepted
	}
	return seen
}

// wanted tells whether an administrator accepts the very store that is there.
func (g *Guard) wanted(seen Seen, known *knowledge) bool {
	id := seen.StoreID
	if id == "" {
		id = storeidentity.NewStore
	}
	return known.annotation(storeidentity.AcceptAnnotation) == id
}

// accept makes the store the one of the record, as it is now.
func (g *Guard) accept(ctx context.Context, seen Seen, known *knowledge) error {
	if err := g.register(ctx, seen, known, accepting(g.clock.Now())); err != nil {
		return err
	}
	g.older = nil
	g.resetFloor()
	klog.FromContext(ctx).Info("Store identity: the store was accepted", "reason", known.annotation(storeidentity.AcceptReasonAnnotation))
	return nil
}

// register writes id and record, etcd first.
func (g *Guard) register(ctx context.Context, seen Seen, known *knowledge, change func(storeidentity.Record) func(*corev1.ConfigMap)) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	id := seen.StoreID
	if id == "" {
		id = uuid.NewString()
	}
	if err := g.store.mark(ctx, id); err != nil {
		return err
	}
	// Of several replicas that start together the first one's id is used by all.
	id, revision, err := g.store.identity(ctx)
	if err != nil {
		return fmt.Errorf("reading the store's identity: %w", err)
	}
	return g.host.write(ctx, known, change(storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: id, Epoch: 1}, ClusterUID: known.clusterUID, Revision: revision}))
}

// follow does what a state asks for.
func (g *Guard) follow(ctx context.Context, state State, seen Seen, known *knowledge, found contents) error {
	switch state {
	case FirstStart:
		return g.register(ctx, seen, known, holding)
	case Fits:
		return g.raise(ctx, known, found)
	case StoreOlder:
		if known.annotation(storeidentity.OlderAnnotation) == seen.StoreID {
			return nil
		}
		return g.host.write(ctx, known, func(target *corev1.ConfigMap) {
			annotate(target, storeidentity.OlderAnnotation, seen.StoreID)
		})
	default:
		return nil
	}
}

// again lets the next check come at once.
func (g *Guard) again() {
	select {
	case g.nudge <- struct{}{}:
	default:
	}
}

// resetFloor forgets what was seen: an accepted store may be behind it.
func (g *Guard) resetFloor() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.revision = 0
}
