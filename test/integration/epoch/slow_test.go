// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package epoch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// replicaCounts are the numbers of API servers for which stores are replaced.
var replicaCounts = []int{2, 1}

// TestCollector_StartsWhileStoreIsRefused restarts the garbage collector, so that it must query the
// server for the owner of every dependent.
func TestCollector_StartsWhileStoreIsRefused(t *testing.T) {
	all := replicas(2)
	awaitServed(t, all)
	require.NoError(t, stop(all))
	t.Cleanup(func() { redirect(stores.right, all) })
	redirect(stores.empty, all)
	for _, one := range all {
		require.NoError(t, one.StartRefusing(t.Context()))
		awaitRefused(t, one, "StoreEmpty")
	}
	manager := env.Cluster.Component(cluster.ControllerManager)
	require.NoError(t, manager.Kill())
	require.NoError(t, manager.Start(t.Context()))
	// The garbage collector starts after 30 seconds although it could not list Roadstead's kinds.
	requireCollectorWaits(t)
	redirect(stores.right, all)
	awaitServed(t, all)
	requireCollectorWorks(t)
}
