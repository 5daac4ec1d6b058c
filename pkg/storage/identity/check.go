// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Check reads the cluster and then etcd, performs the resulting action, and returns the state. For
// a server that uses its store, the state is the finding of this check, which does not refuse
// requests yet.
func (g *Guard) Check(ctx context.Context) State {
	g.checking.Lock()
	defer g.checking.Unlock()
	known, hostErr := g.lookAtHost(ctx)
	found, storeErr := g.lookAtStore(ctx)
	if ctx.Err() != nil || g.config.Timeline.Failure() != nil {
		return g.State()
	}
	if g.failures++; storeErr == nil {
		g.failures = 0
	}
	g.config.Timeline.SetReachable(g.failures < etcdPatience)
	o := g.observe(known, found)
	verdict := Decide(o)
	facts := Facts{Observed: o, Namespace: g.config.Namespace, Cause: hostErr}
	if verdict.State == StoreUnreachable {
		facts.Cause = storeErr
	}
	if known != nil {
		facts.BadRequest = known.badRequest
	}
	g.act(ctx, verdict, facts, found)
	if verdict.Action == Wait && g.isOpen() {
		publish(verdict.State)
		return verdict.State
	}
	publish(g.State())
	return g.State()
}

// act performs the action of a verdict.
func (g *Guard) act(ctx context.Context, verdict Verdict, facts Facts, found *contents) {
	var err error
	if g.bound != nil {
		err = g.actBound(ctx, verdict, facts, found)
	} else {
		err = g.actUnbound(ctx, verdict, facts, found)
	}
	if err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Info("Store identity: the next check tries again", "state", g.State(), "err", err)
	}
}

func (g *Guard) actUnbound(ctx context.Context, verdict Verdict, facts Facts, found *contents) error {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var err error
	switch verdict.Action {
	case Begin:
		err = g.begin(call, found)
	case Migrate:
		err = g.store.begin(call, found, first(found.Store), found.Tick+1)
	case Continue:
		err = g.accept(call, found)
	case Refuse:
		if acceptable(verdict.State) && g.known.request != nil {
			err = g.request(call, found)
		}
	case Bind:
		if err := g.bind(found); err != nil {
			return err
		}
		return g.tryOpen(ctx, facts, found)
	default:
		g.conclude(verdict.State, Message(verdict.State, facts))
		return nil
	}
	if err == nil && (verdict.Action != Refuse || g.known.request != nil) {
		g.again() // the next check reads what was written
	}
	if facts.Cause == nil {
		facts.Cause = err
	}
	g.conclude(verdict.State, Message(verdict.State, facts))
	return err
}

func (g *Guard) actBound(ctx context.Context, verdict Verdict, facts Facts, found *contents) error {
	switch {
	case verdict.Action == Exit:
		g.Leave(errors.New(Message(verdict.State, facts)))
		return nil
	case !g.isOpen() && verdict.Action != Wait:
		return g.tryOpen(ctx, facts, found)
	case verdict.State == HostUnknown:
		return facts.Cause
	}
	// The gate stays open while etcd does not respond, because the caches are of the bound epoch.
	return g.keep(ctx, verdict, found)
}

// bind binds the process to the store that was read. It never answers from another store.
func (g *Guard) bind(found *contents) error {
	if err := g.config.Timeline.Bind(found.tuple); err != nil {
		return err
	}
	g.mu.Lock()
	g.bound = &found.tuple
	g.mu.Unlock()
	g.adopt(g.known.record)
	return nil
}

// tryOpen lets requests through once the Secrets are known and the Lease shows that this store is used. The Lease is not
// renewed before: a server that waits for an administrator must not keep another store from being accepted.
func (g *Guard) tryOpen(ctx context.Context, facts Facts, found *contents) error {
	for _, secrets := range g.secrets {
		if err := secrets.Prepare(ctx); err != nil {
			state, message := refusal(err, facts)
			g.conclude(state, message)
			return err
		}
	}
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := g.renew(call, found); err != nil {
		facts.Cause = err
		g.conclude(HostUnknown, Message(HostUnknown, facts))
		return err
	}
	if err := g.config.Timeline.Open(); err != nil {
		return err
	}
	g.mu.Lock()
	g.open = true
	g.mu.Unlock()
	close(g.opened)
	g.conclude(Serving, "")
	g.again() // the next check writes what is missing in the cluster
	return nil
}

// lookAtHost reads the Lease, the record and the anchors.
func (g *Guard) lookAtHost(ctx context.Context) (*knowledge, error) {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := g.lease.look(call)
	g.mu.Lock()
	g.inUse = !g.lease.read || g.lease.renewed() && g.lease.holder() != g.config.Member
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	known, err := g.host.look(call)
	if err != nil {
		return nil, err
	}
	g.known = known
	g.mu.Lock()
	g.recordRead, g.recorded = g.clock.Now(), known.record
	g.mu.Unlock()
	g.adopt(known.record)
	return known, nil
}

// lookAtStore reads the marks. The answer of a bound process is checked, so that another store ends the process.
func (g *Guard) lookAtStore(ctx context.Context) (*contents, error) {
	call, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	kv := g.config.Raw
	if g.bound != nil {
		kv = g.config.Checked
	}
	return g.store.look(call, kv)
}

// observe combines what was read; known or found is nil if it could not be read.
func (g *Guard) observe(known *knowledge, found *contents) Observed {
	o := Observed{HostRead: known != nil, StoreRead: found != nil}
	if found != nil {
		o.Store = found.Store
	}
	if known != nil {
		o.Record, o.RecordInvalid, o.ClusterUID, o.Nonce = known.record, known.invalid, known.clusterUID, known.nonce()
		o.Anchor, o.Anchored = known.anchor()
		o.OtherHolder = g.lease.other(g.holder(o.Store))
		o.Store.Older = o.Store.Legacy && known.olderID() == o.Store.StoreID
	}
	if g.bound != nil {
		anchor := anchorOf(g.bound.Mark)
		o.Bound = &anchor
	}
	return o
}

// holder returns the holder identity of this process for the Lease.
func (g *Guard) holder(s Store) string {
	if g.config.Member != "" {
		return g.config.Member
	}
	if g.bound != nil {
		return fmt.Sprintf("%s.%d.%x", g.bound.Mark.StoreID, g.bound.Mark.Epoch, g.bound.ClusterID)
	}
	return fmt.Sprintf("%s.%d.%s", s.StoreID, s.Epoch, s.EtcdClusterID)
}

// again starts the next check immediately.
func (g *Guard) again() {
	select {
	case g.nudge <- struct{}{}:
	default:
	}
}

// adopt remembers the fingerprints of a record of the bound epoch.
func (g *Guard) adopt(record *storeidentity.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.bound == nil || record == nil || record.Anchor != anchorOf(g.bound.Mark) {
		return
	}
	g.fingerprints = maps.Clone(record.Fingerprints)
}

func anchorOf(mark epoch.Mark) storeidentity.Anchor {
	return storeidentity.Anchor{StoreID: mark.StoreID, Epoch: mark.Epoch}
}
