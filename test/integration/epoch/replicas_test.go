// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestMisledReplica_HarmsNobody connects one of two replicas to an older copy.
func TestMisledReplica_HarmsNobody(t *testing.T) {
	all := replicas(2)
	awaitServed(t, all)
	healthy, misled := all[:1], all[1]
	record := env.StoreRecord(t)
	t.Cleanup(func() { redirect(stores.right, all) })
	w := observe(t, all)
	w.awaitRound()
	pid, healthyPID := misled.PID(), healthy[0].PID()

	redirect(stores.older, all[1:])
	awaitExit(t, misled, pid)
	awaitRefused(t, misled, "StoreOlder")
	requireOutOfService(t, misled, "store")
	awaitServed(t, healthy)
	requireCollectorWorks(t)
	awaitRenewals(t, 1)
	require.Equal(t, healthyPID, healthy[0].PID())
	requireSameStore(t, record)

	redirect(stores.right, all[1:])
	awaitServed(t, all)
	w.awaitRound()
	w.endFaultless(healthy[0].Name())
	requireSameStore(t, record)
}

// TestRollingUpdate_HaltsOnWrongEtcd adds a replica with a wrong etcd, like a rollout with changed
// flags.
func TestRollingUpdate_HaltsOnWrongEtcd(t *testing.T) {
	all := replicas(2)
	awaitServed(t, all)
	record := env.StoreRecord(t)
	w := observe(t, all)
	w.awaitRound()
	links[install.APIServer+"-3"].Redirect(stores.grown.Address())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := env.Roadstead.AddAPIServer(ctx)
		ended <- err
	}()
	framework.Await(t, "a third replica", func() error {
		if count := len(env.Roadstead.APIServers()); count != 3 {
			return fmt.Errorf("there are %d", count)
		}
		return nil
	})
	updated := replicas(3)[2]
	awaitRefused(t, updated, "StoreOlder")
	for range 2 {
		requireOutOfService(t, updated, "store")
		awaitRenewals(t, 1)
	}
	requireOutOfService(t, updated, "store")
	cancel()
	require.Error(t, <-ended, "it never became ready")
	require.NoError(t, updated.Stop())
	service.Remove(updated.Address())
	w.endFaultless(aggregated, all[0].Name(), all[1].Name())
	requireSameStore(t, record)
}

// awaitRenewals returns when the Lease of the store was renewed the given number of times.
func awaitRenewals(t *testing.T, count int) {
	t.Helper()
	renewed := func() (time.Time, error) {
		lease, err := env.Admin.CoordinationV1().Leases(install.Namespace).Get(t.Context(), storeidentity.LeaseName, metav1.GetOptions{})
		if err != nil || lease.Spec.RenewTime == nil {
			return time.Time{}, err
		}
		return lease.Spec.RenewTime.Time, nil
	}
	last, err := renewed()
	require.NoError(t, err)
	for range count {
		framework.Await(t, "a renewal of the Lease", func() error {
			now, err := renewed()
			if err == nil && !now.After(last) {
				err = fmt.Errorf("it was renewed at %s", last)
			}
			if err == nil {
				last = now
			}
			return err
		})
	}
}
