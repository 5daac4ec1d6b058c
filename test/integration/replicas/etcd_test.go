// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package replicas

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/framework"
)

// failover bounds the duration of failures when an etcd member dies: one election (at most one
// second) and the switch of the clients to another member.
const failover = 5 * time.Second

// outliveAMember kills each etcd member in turn under load, including the leader.
func outliveAMember(t *testing.T) {
	u := editor(t)
	for _, member := range store.Members() {
		l := mixed(t, u, 50)
		stopClaims := race(t, u, member.Name())
		wait(t, 2*time.Second)
		begin := time.Now()
		require.NoError(t, member.Kill())
		wait(t, 2*failover)
		l.end()
		rounds := stopClaims()
		answered, failures := l.result()
		t.Logf("%s killed: %d requests answered, %d failed within %.1f s; %d races for one claim", member.Name(), answered, len(failures),
			lastFailure(l, begin).Sub(begin).Seconds(), rounds)
		for _, f := range failures[:min(3, len(failures))] {
			t.Log(f)
		}
		require.Less(t, lastFailure(l, begin).Sub(begin), failover)
		require.Greater(t, answered, 300)
		require.Positive(t, rounds)
		require.NoError(t, member.Start(t.Context()))
	}
}

// race makes all replicas repeatedly create Domains with the same claim on a Takaro domain
// concurrently, and requires that at most one succeeds. The returned function stops the races and
// returns their number.
func race(t *testing.T, u *framework.User, prefix string) func() int {
	t.Helper()
	var clients []versioned.Interface
	for _, server := range running() {
		clients = append(clients, framework.ClientFor(t, direct(server.Address())))
	}
	var ended atomic.Bool
	rounds := make(chan int, 1)
	go func() {
		n := 0
		for ; !ended.Load(); n++ {
			assert.LessOrEqual(t, winners(t, clients, u.Namespace, fmt.Sprintf("%s-race-%d", prefix, n)), 1)
		}
		rounds <- n
	}()
	return func() int {
		ended.Store(true)
		return <-rounds
	}
}

// winners returns the number of clients that created a Domain for one claim.
func winners(t *testing.T, clients []versioned.Interface, namespace, claim string) int {
	var won atomic.Int32
	var all sync.WaitGroup
	for i, client := range clients {
		all.Go(func() {
			domains := client.TakaroV1alpha1().Domains(namespace)
			name := fmt.Sprintf("%s-%d", claim, i)
			_, err := domains.Create(t.Context(), &v1alpha1.Domain{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec:       v1alpha1.DomainSpec{TakaroAPIURL: "https://api.takaro.test", ExternalReferenceID: claim},
			}, metav1.CreateOptions{})
			if err == nil {
				won.Add(1)
				return
			}
			// A rejected request must not have stored an object. A request without a response may
			// have.
			if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) || apierrors.IsInvalid(err) {
				_, err = domains.Get(t.Context(), name, metav1.GetOptions{})
				assert.False(t, err == nil, "%s was refused and stored", name)
			}
		})
	}
	all.Wait()
	list, err := clients[0].TakaroV1alpha1().Domains(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		return int(won.Load())
	}
	stored := 0
	for _, domain := range list.Items {
		if domain.Spec.ExternalReferenceID == claim {
			stored++
		}
	}
	return max(stored, int(won.Load()))
}
