// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// conclude sets the current state. Requests are refused with the message unless it is empty.
func (g *Guard) conclude(state State, message string) {
	g.mu.Lock()
	before := g.state
	g.state, g.message = state, message
	g.mu.Unlock()
	publish(state)
	if message == "" {
		g.config.Gate.Open(Cause)
	} else {
		g.config.Gate.Close(Cause, gate.All, message)
	}
	if before != state {
		klog.Background().Info("Store identity", "state", state, "before", before, "message", message)
	}
}

// State returns the state of the last check.
func (g *Guard) State() State {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.state
}

func (g *Guard) isOpen() bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.open
}

// stale returns why requests are refused although the store is bound, "" if they are not. A process that cannot read the
// record or renew the Lease for too long may have been replaced, so the ages are judged at each request.
func (g *Guard) stale() string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	record, lease := g.clock.Since(g.recordRead), g.clock.Since(g.leaseRenewed)
	if !g.open || record < recordPatience && lease < storeidentity.LeaseDuration {
		return ""
	}
	return Message(HostUnknown, Facts{Namespace: g.config.Namespace, Cause: fmt.Errorf(
		"ConfigMap %s was read %s ago and Lease %s was renewed %s ago", storeidentity.ConfigMapName, record.Truncate(time.Second),
		storeidentity.LeaseName, lease.Truncate(time.Second))})
}

// Serving returns an error while requests are refused.
func (g *Guard) Serving() error {
	message := g.stale()
	if message == "" {
		g.mu.RLock()
		defer g.mu.RUnlock()
		message = g.message
	}
	if message != "" {
		return errors.New(message)
	}
	return nil
}

// AwaitServing waits until requests are answered for the first time, and reports whether they were before ctx ended.
func (g *Guard) AwaitServing(ctx context.Context) bool {
	select {
	case <-g.opened:
		return true
	case <-ctx.Done():
		return false
	}
}

// Ready is the health check. It fails while the store is refused and other servers use one, or nothing is known of them: a
// rollout to a wrong etcd then halts at its first pod. When no server uses a store, a pod that is not ready would only keep
// the message from clients, and its group from discovery.
func (g *Guard) Ready() error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.open || !g.inUse && !passing(g.state) {
		return nil
	}
	return errors.New(g.message)
}

// Header describes the store as etcd answers now, for an inventory.
func (g *Guard) Header(ctx context.Context) (storeidentity.InventoryHeader, error) {
	found, err := g.store.look(ctx, g.config.Raw)
	if err != nil {
		return storeidentity.InventoryHeader{}, err
	}
	header := storeidentity.InventoryHeader{
		StoreID: found.StoreID, Epoch: found.Epoch, Tick: found.Tick, Revision: found.Revision, EtcdClusterID: found.EtcdClusterID,
		State: string(g.State()), Embedded: g.config.Renumber != nil,
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.recorded != nil && !continues(found.Store, *g.recorded) {
		header.RecordedRevision = g.recorded.Revision
	}
	return header, nil
}

// Leave ends the process without draining, because its epoch is over: everything in its caches, and every open watch, is of
// a store that it no longer has. It may be called at any time, more than once too.
func (g *Guard) Leave(reason error) {
	g.leaving.Do(func() {
		message := Message(StoreForeign, Facts{Namespace: g.config.Namespace, Left: reason})
		g.conclude(StoreForeign, message)
		klog.Background().Error(reason, "The store is no longer the one that this server is bound to. The server exits and restarts")
		ctx, cancel := context.WithTimeout(context.Background(), restoreTimeout)
		defer cancel()
		for _, secrets := range g.secrets {
			if err := secrets.Restore(ctx); err != nil {
				klog.Background().Error(err, "Failed to restore a Secret before the exit")
			}
		}
		klog.Flush()
		g.config.Exit()
	})
}
