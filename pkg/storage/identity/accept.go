// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// Margin is the minimum difference between the revision of an accepted store and the recorded one.
// The record may be 15 seconds behind etcd, and a client whose resourceVersion is ahead of etcd
// would receive no events.
const Margin = 100_000

// begin registers an installation: the store first, then the record. The anchors follow when the store is bound.
func (g *Guard) begin(ctx context.Context, found *contents) error {
	if !found.Marked || found.Legacy {
		return g.store.begin(ctx, found, first(found.Store), found.Tick+1)
	}
	return g.host.write(ctx, g.known, storeidentity.Record{
		Anchor: found.Anchor, Tick: found.Tick, Revision: found.Revision, EtcdClusterID: found.EtcdClusterID, ClusterUID: g.known.clusterUID,
	}, "")
}

// request fulfills the pending request to accept the store, if it is about the store that this replica observes.
func (g *Guard) request(ctx context.Context, found *contents) error {
	request := g.known.request
	if err := fits(*request, found.Store); err != nil {
		return err
	}
	if !g.lease.idle(g.config.Member) {
		return fmt.Errorf("a server with another store has Lease %s/%s or has just released it: stop that server",
			g.config.Namespace, storeidentity.LeaseName)
	}
	record := g.known.record
	if record == nil {
		record = &storeidentity.Record{}
	} else if g.config.Renumber == nil && !continues(found.Store, *record) && found.Revision < record.Revision+Margin {
		return fmt.Errorf("revision %d of etcd must exceed the recorded %d by %d. Restore the store with etcdutl snapshot restore "+
			"--bump-revision --mark-compacted first", found.Revision, record.Revision, Margin)
	}
	anchor, _ := g.known.anchor()
	mark := epoch.Mark{StoreID: found.StoreID, Epoch: max(found.Epoch, record.Epoch, anchor.Epoch) + 1, Nonce: request.Nonce}
	if mark.StoreID == "" {
		mark.StoreID = uuid.NewString()
	}
	if mark.Epoch > storeidentity.MaxEpoch {
		return fmt.Errorf("epoch %d is too high", mark.Epoch)
	}
	if err := g.store.begin(ctx, found, mark, max(found.Tick, record.Tick)+1); err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Store identity: the store is being accepted", "store", mark.StoreID, "epoch", mark.Epoch,
		"reason", request.Reason)
	return nil
}

// accept completes an acceptance whose epoch is in the store. Each step can be repeated.
func (g *Guard) accept(ctx context.Context, found *contents) error {
	request, known := g.known.request, g.known
	floor := request.Revision
	fingerprints := map[string][]string{}
	if known.record != nil {
		floor = max(floor, known.record.Revision)
		fingerprints = maps.Clone(known.record.Fingerprints)
	}
	if g.config.Renumber != nil && found.Revision < floor+Margin {
		return g.config.Renumber(ctx)
	}
	if err := g.store.forget(ctx, found.Revision); err != nil {
		return err
	}
	if err := g.host.write(ctx, known, storeidentity.Record{
		Anchor: found.Anchor, Tick: found.Tick, Revision: found.Revision, EtcdClusterID: found.EtcdClusterID,
		ClusterUID: known.clusterUID, Fingerprints: fingerprints,
	}, request.Nonce); err != nil {
		return err
	}
	return g.host.writeAnchors(ctx, known, found.Anchor)
}

// fits returns why a request is about another store than the one that is observed.
func fits(r storeidentity.Request, s Store) error {
	switch {
	case r.StoreID != acceptID(s):
		return fmt.Errorf("it names store %s", r.StoreID)
	case r.EtcdClusterID != s.EtcdClusterID:
		return fmt.Errorf("it names etcd cluster %s, this is %s", r.EtcdClusterID, s.EtcdClusterID)
	case s.Revision < r.Revision:
		return errors.New("it was created for a later revision of the store")
	default:
		return nil
	}
}

// continues reports whether a store goes on from where the record was written, so that no client knows more than it holds.
func continues(s Store, r storeidentity.Record) bool {
	return s.StoreID == r.StoreID && s.Epoch >= r.Epoch && s.Tick >= r.Tick && s.Revision >= r.Revision &&
		(r.EtcdClusterID == "" || s.EtcdClusterID == r.EtcdClusterID)
}
