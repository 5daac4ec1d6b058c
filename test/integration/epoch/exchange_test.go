// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
)

// exchange is a wrong store and the state in which a server refuses it.
type exchange struct {
	name, state string
	etcd        func() *framework.Etcd
}

var exchanges = []exchange{
	{"older copy", "StoreOlder", func() *framework.Etcd { return stores.older }},
	{"older copy grown past", "StoreOlder", func() *framework.Etcd { return stores.grown }},
	{"empty", "StoreEmpty", func() *framework.Etcd { return stores.empty }},
	{"foreign", "StoreForeign", func() *framework.Etcd { return stores.foreign }},
}

// TestStore_Exchanged replaces the etcd of all API servers, and restores the right one.
func TestStore_Exchanged(t *testing.T) {
	for _, count := range replicaCounts {
		t.Run(fmt.Sprintf("replicas %d", count), func(t *testing.T) {
			all := replicas(2)
			require.NoError(t, stop(all[count:]))
			for _, wrong := range exchanges {
				t.Run(wrong.name+" before start", func(t *testing.T) { wrong.beforeStart(t, all[:count]) })
				t.Run(wrong.name+" while running", func(t *testing.T) { wrong.whileRunning(t, all[:count]) })
			}
			for _, one := range all[count:] {
				require.NoError(t, one.Start(t.Context()))
			}
		})
	}
}

func (e exchange) beforeStart(t *testing.T, all []replica) {
	e.run(t, all, func() {
		require.NoError(t, stop(all))
		redirect(e.etcd(), all)
		for _, one := range all {
			require.NoError(t, one.StartRefusing(t.Context()))
		}
	})
}

func (e exchange) whileRunning(t *testing.T, all []replica) {
	e.run(t, all, func() {
		pids := map[string]int{}
		for _, one := range all {
			pids[one.Name()] = one.PID()
		}
		redirect(e.etcd(), all)
		for _, one := range all {
			awaitExit(t, one, pids[one.Name()])
		}
	})
}

// run requires that an exchange causes no damage, and that everything is served again without an
// administrator.
func (e exchange) run(t *testing.T, all []replica, exchangeStores func()) {
	t.Helper()
	awaitServed(t, all)
	record, wrong := env.StoreRecord(t), e.etcd()
	revision, err := position(t.Context(), wrong)
	require.NoError(t, err)
	// Restore the right store after a failure as well, for the next case.
	t.Cleanup(func() {
		redirect(stores.right, all)
		for _, one := range all {
			require.NoError(t, one.Start(context.Background()))
		}
	})
	w := observe(t, all)
	w.awaitRound()

	exchangeStores()
	for _, one := range all {
		awaitRefused(t, one, e.state)
	}
	requireCollectorWaits(t)
	after, err := position(t.Context(), wrong)
	require.NoError(t, err)
	require.Equal(t, revision, after, "the wrong store was written to")

	redirect(stores.right, all)
	awaitServed(t, all)
	requireCollectorWorks(t)
	w.awaitRound()
	w.end()
	requireSameStore(t, record)
}

// requireSameStore requires that the record of the store in the cluster is unchanged.
func requireSameStore(t *testing.T, before storeidentity.Record) {
	t.Helper()
	now := env.StoreRecord(t)
	require.GreaterOrEqual(t, now.Tick, before.Tick)
	require.GreaterOrEqual(t, now.Revision, before.Revision)
	now.Tick, now.Revision = before.Tick, before.Revision
	require.Equal(t, before, now)
	anchors, err := env.Anchors(t.Context())
	require.NoError(t, err)
	for name, anchor := range anchors {
		require.Equal(t, before.Anchor.String(), anchor, name)
	}
}
