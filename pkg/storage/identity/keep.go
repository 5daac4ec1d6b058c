// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// eventRecordRestored is the reason of the event about a record that a server restored from memory.
const eventRecordRestored = "RecordRestored"

// keep renews the Lease and restores the information about the store in the cluster. found is nil
// if etcd did not respond.
func (g *Guard) keep(ctx context.Context, verdict Verdict, found *contents) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := g.renew(ctx, found)
	if found == nil {
		return err
	}
	if verdict.Action == CreateRecord || verdict.Action == RewriteRecord {
		err = errors.Join(err, g.restoreRecord(ctx, found))
	}
	return errors.Join(err, g.host.writeAnchors(ctx, g.known, anchorOf(g.bound.Mark)), g.tick(ctx, found))
}

// renew renews the Lease.
func (g *Guard) renew(ctx context.Context, found *contents) error {
	var seen Store
	if found != nil {
		seen = found.Store
	}
	if err := g.lease.renew(ctx, g.holder(seen)); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaseRenewed = g.clock.Now()
	return nil
}

// record returns the record of the bound store.
func (g *Guard) record(found *contents, tick, revision int64) storeidentity.Record {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return storeidentity.Record{
		Anchor: found.Anchor, Tick: tick, Revision: revision, EtcdClusterID: found.EtcdClusterID, ClusterUID: g.known.clusterUID,
		Fingerprints: maps.Clone(g.fingerprints),
	}
}

// restoreRecord writes the record from memory. The event informs the user whose change was
// replaced.
func (g *Guard) restoreRecord(ctx context.Context, found *contents) error {
	migrated := g.known.record != nil && g.known.record.EtcdClusterID == ""
	fulfilled := found.Nonce
	if err := g.host.write(ctx, g.known, g.record(found, found.Tick, found.Revision), fulfilled); err != nil {
		return err
	}
	if migrated {
		return nil
	}
	message := fmt.Sprintf("The record of store %s was missing, or named another store, and was restored by a server that uses the "+
		"store.", found.Anchor)
	klog.FromContext(ctx).Info("Store identity: the record was restored", "store", found.Anchor)
	keeper.Warn(ctx, g.config.Client, corev1.ObjectReference{
		APIVersion: "v1", Kind: "ConfigMap", Namespace: g.config.Namespace, Name: storeidentity.ConfigMapName,
		UID: g.known.source.UID, ResourceVersion: g.known.source.ResourceVersion,
	}, eventRecordRestored, "KeepRecord", message)
	return nil
}

// tick confirms the writes since the last one. A store without this tick is an older copy from then on. An idle store is not
// written to, and a tick that fails fails nothing else: etcd may be full.
func (g *Guard) tick(ctx context.Context, found *contents) error {
	if !g.config.Timeline.Unconfirmed() || g.clock.Since(g.ticked) < tickInterval {
		return nil
	}
	next, key := found.Tick+1, epoch.TickKey(g.config.Prefix)
	answer, err := g.config.Checked.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", found.revisions[1])).
		Then(clientv3.OpPut(key, epoch.EncodeTick(next))).
		Commit()
	if err != nil {
		return fmt.Errorf("write the tick of the store: %w", err)
	}
	g.ticked = g.clock.Now()
	if !answer.Succeeded { // another replica has confirmed the same writes
		return nil
	}
	return g.host.write(ctx, g.known, g.record(found, next, answer.Header.Revision), "")
}

// Close confirms the last writes and releases the Lease. Call it when the server has drained.
func (g *Guard) Close(ctx context.Context) {
	g.checking.Lock()
	defer g.checking.Unlock()
	if !g.isOpen() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := g.lookAtHost(ctx)
	if err == nil {
		var found *contents
		if found, err = g.lookAtStore(ctx); err == nil {
			g.ticked = g.clock.Now().Add(-tickInterval)
			err = g.tick(ctx, found)
		}
	}
	if err = errors.Join(err, g.lease.release(ctx, g.holder(Store{}))); err != nil {
		klog.FromContext(ctx).Info("Store identity: the end of the server was not recorded; an older copy may go unnoticed if it is "+
			"less than 15 seconds behind, and another server may wait for the Lease", "err", err)
	}
}
