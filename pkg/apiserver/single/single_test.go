// SPDX-License-Identifier: Apache-2.0

package single

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	core "k8s.io/client-go/testing"
	testclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
)

func TestWhoHoldsALease(t *testing.T) {
	now := time.Now()
	lease := func(holder string, renewed time.Duration) *coordinationv1.Lease {
		at := metav1.NewMicroTime(now.Add(-renewed))
		return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, RenewTime: &at, LeaseDurationSeconds: ptr.To(int32(leaseDuration.Seconds())),
		}}
	}
	assert.Equal(t, "a", holds(lease("a", 0), now))
	assert.Equal(t, "a", holds(lease("a", leaseDuration), now))
	assert.Empty(t, holds(lease("a", leaseDuration+time.Second), now))
	assert.Empty(t, holds(lease("", 0), now))
	assert.Empty(t, holds(&coordinationv1.Lease{}, now))
}

func TestOnlyOneServerAtATime(t *testing.T) {
	client, clock := fake.NewClientset(), testclock.NewFakeClock(time.Now())
	lease := func(holder string) Lease {
		return Lease{Client: client, Namespace: "roadstead-system", Holder: holder, Clock: clock}
	}
	require.NoError(t, lease("a").Take(t.Context()))
	require.NoError(t, lease("a").Take(t.Context()), "a restart under the same name")
	err := lease("b").Take(t.Context())
	var held *HeldError
	require.ErrorAs(t, err, &held)
	require.ErrorContains(t, err, "another server (a)")
	require.ErrorContains(t, err, "--etcd-servers")
	clock.Step(leaseDuration + time.Second)
	require.NoError(t, lease("b").Take(t.Context()), "a is gone")
	require.Error(t, lease("a").Take(t.Context()))
	lease("a").Release(t.Context())
	require.Error(t, lease("a").Take(t.Context()), "nobody gives up what another holds")
	lease("b").Release(t.Context())
	require.NoError(t, lease("a").Take(t.Context()), "b gave it up")
}

func TestRenewalGoesOnUntilTheLeaseIsLost(t *testing.T) {
	client, clock := fake.NewClientset(), testclock.NewFakeClock(time.Now())
	lease := Lease{Client: client, Namespace: "roadstead-system", Holder: "a", Clock: clock}
	require.NoError(t, lease.Take(t.Context()))
	away := true
	client.PrependReactor("update", "leases", func(core.Action) (bool, runtime.Object, error) {
		fails := away
		away = false
		return fails, nil, errors.New("host is away")
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lost := make(chan error, 1)
	go lease.Renew(ctx, func(err error) { lost <- err })
	renewed := func() time.Time {
		found, err := client.CoordinationV1().Leases("roadstead-system").Get(t.Context(), LeaseName, metav1.GetOptions{})
		require.NoError(t, err)
		return found.Spec.RenewTime.Time
	}
	before := renewed()
	require.Eventually(t, func() bool {
		if clock.HasWaiters() {
			clock.Step(renewEvery)
		}
		return renewed().After(before)
	}, 10*time.Second, 10*time.Millisecond, "it is renewed after a failure")

	clock.Step(leaseDuration + time.Second)
	other := lease
	other.Holder = "b"
	require.Eventually(t, func() bool {
		clock.Step(leaseDuration + time.Second)
		_ = other.Take(t.Context())
		clock.Step(renewEvery)
		return len(lost) == 1
	}, 10*time.Second, 10*time.Millisecond)
	require.ErrorContains(t, <-lost, "another server (b)")
}
