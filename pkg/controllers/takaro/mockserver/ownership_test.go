// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// records returns the records of game servers as "state id".
func (w *world) records() (all []string) {
	w.T.Helper()
	for _, record := range ledgerOf(w.Object()) {
		if record.Kind == kindGameServer {
			all = append(all, strings.TrimSpace(string(record.State)+" "+record.ID))
		}
	}
	slices.Sort(all)
	return all
}

// gameServer returns a game server of the domain by name.
func (w *world) gameServer(name string) standin.GameServer {
	w.T.Helper()
	domain, _ := w.Takaro.Domain(w.domainID)
	for _, server := range domain.GameServers {
		if server.Name == name {
			return server
		}
	}
	require.FailNow(w.T, "no such game server", name)
	return standin.GameServer{}
}

func TestIntentsAreStoredBeforePodsMayStart(t *testing.T) {
	w := newWorld(t, twoReplicas)
	checked := 0
	check := func(set client.Object) {
		if set, ok := set.(*appsv1.StatefulSet); ok {
			intended := 0
			for _, record := range ledgerOf(w.Object()) {
				if record.Kind == kindGameServer && record.State != ownership.Lost {
					intended++
				}
			}
			assert.GreaterOrEqual(t, intended, int(*set.Spec.Replicas))
			checked++
		}
	}
	w.r = w.controller(interceptor.NewClient(w.Store, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			check(object)
			return c.Create(ctx, object, options...)
		},
		Update: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			check(object)
			return c.Update(ctx, object, options...)
		},
	}))
	w.settle(w.play(all...))
	w.change(func(spec *v1alpha1.MockServerSpec) { *spec.Replicas = 4 })
	w.settle(w.play(all...))
	w.requireReady()
	assert.GreaterOrEqual(t, checked, 2)
}

// An older API server, or one with another --controller-user, drops the ledger.
func TestWithoutAKeptLedgerNoPodStarts(t *testing.T) {
	w := newWorld(t)
	w.r = w.controller(interceptor.NewClient(w.Store, interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, object client.Object,
			options ...client.SubResourceUpdateOption) error {
			if server, ok := object.(*v1alpha1.MockServer); ok {
				server.Status.Ownership = &ownership.Status{}
			}
			return c.SubResource(sub).Update(ctx, object, options...)
		},
	}))
	w.Once(w.r)
	assert.Equal(t, "False LedgerNotKept", w.Condition("Ready"))
	sets := &appsv1.StatefulSetList{}
	require.NoError(t, w.Store.List(t.Context(), sets))
	assert.Empty(t, sets.Items)
}

// Takaro keeps the row of a deleted game server, and with it the name.
func TestScalingAgainAndAgain(t *testing.T) {
	w := newWorld(t, twoReplicas)
	w.Takaro.SetRealism(standin.FullRealism())
	w.settle(w.play(all...))
	for range 3 {
		for _, n := range []int32{1, 2} {
			w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = &n })
			w.settle(w.play(all...))
			w.requireReady()
		}
	}
	assert.Zero(t, w.Told()[eventNameTaken])
	assert.Len(t, w.records(), 2, "what was deleted is not recorded any more")
	gone(w)
}

func TestOnlyRecordsOfTheLedgerAreDeleted(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	stranger, err := w.Takaro.ConnectGameServer(w.domainID, "stranger")
	require.NoError(t, err)
	_, err = w.Takaro.ConnectGameServer(w.domainID, identity(w.Object(), 3))
	require.NoError(t, err)
	server := w.Object()
	server.Status.GameServers = append(server.Status.GameServers, v1alpha1.MockGameServer{Name: "game-1", ID: stranger.ID})
	require.NoError(t, w.Store.Status().Update(t.Context(), server))
	w.Clock.Step(snapshotLife)
	w.settle(w.play(0))
	assert.Equal(t, []string{"Held " + w.gameServer("game").ID}, w.records())
	unrecorded := identity(w.Object(), 3)
	w.Delete()
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.Equal(t, []string{unrecorded, "stranger"}, w.names())
}

// A status that was copied or restored contains the game servers of another object.
func TestCopiedStatusDeletesNothing(t *testing.T) {
	w := newWorld(t)
	stranger, err := w.Takaro.ConnectGameServer(w.domainID, "stranger")
	require.NoError(t, err)
	server := w.Object()
	server.Status.GameServers = []v1alpha1.MockGameServer{{Name: "game", ID: stranger.ID, Reachable: true}}
	set(server, v1alpha1.ConditionRegistered, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "copied")
	server.Finalizers = []string{Finalizer}
	require.NoError(t, w.Store.Update(t.Context(), server))
	require.NoError(t, w.Store.Status().Update(t.Context(), server))
	w.Delete()
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.Equal(t, []string{"stranger"}, w.names())
}

// A game server that was deleted manually is registered again, with a new id, by another pod.
func TestVanishedGameServerIsCreatedAnew(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	former := w.gameServer("game").ID
	require.NoError(t, w.takaro().DeleteGameServer(t.Context(), w.domainID, former))
	w.Clock.Step(snapshotLife)
	w.Once(w.r)
	assert.Equal(t, "False Vanished", w.Condition("Ready"))
	assert.Contains(t, w.Message("Ready"), former)
	for range 20 { // no game server registers without a restart
		w.Clock.Step(pollLate)
		w.Once(w.r)
	}
	assert.Equal(t, 1, w.Told()[eventPodRestarted])
	w.settle(w.play(0))
	w.requireReady()
	current := w.gameServer("game").ID
	assert.Equal(t, []string{"Held " + current, "Lost " + former}, w.records())
	gone(w)
}

func TestReferenceOfAnotherIsRefused(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	ledger := ledgerOf(w.Object())
	stranger, err := w.Takaro.ConnectGameServer(w.domainID, "stranger")
	require.NoError(t, err)
	for i := range ledger {
		if ledger[i].Kind == kindGameServer {
			ledger[i].ID = stranger.ID
		}
	}
	server := w.Object()
	server.Status.Ownership.Records = ledger
	require.NoError(t, w.Store.Status().Update(t.Context(), server))
	w.Clock.Step(snapshotLife)
	w.Once(w.r)
	assert.Equal(t, "False ReferenceChanged", w.Condition("Ready"))
	w.Delete()
	w.Once(w.r)
	w.play()()
	w.Once(w.r)
	assert.Equal(t, "False DeletionBlocked", w.Condition("Ready"))
	assert.Contains(t, w.names(), "stranger")
}

// A deletion does not wait for minutes because of a pod that never registered.
func TestDeletionBeforeTheRegistration(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.Once(w.r)
		w.play()()
	}
	require.Equal(t, []string{"Intended"}, w.records())
	begin := w.Clock.Now()
	w.Delete()
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.LessOrEqual(t, w.Clock.Since(begin), arriving+5*time.Second)
}

// A game server that registers late, after a scale-down, is removed as long as the intent exists.
func TestLateRegistrationOfASurplusGameServer(t *testing.T) {
	w := newWorld(t, twoReplicas)
	for range 3 {
		w.Once(w.r)
		w.play(0)()
	}
	n := int32(1)
	w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = &n })
	late := identity(w.Object(), 1)
	for range 5 {
		w.Clock.Step(freshLife)
		w.Once(w.r)
		w.play(0)()
	}
	assert.Equal(t, "True AsSpecified", w.Condition("Ready"), "an intent is not awaited")
	_, err := w.Takaro.ConnectGameServer(w.domainID, late)
	require.NoError(t, err)
	w.Clock.Step(snapshotLife)
	w.settle(w.play(0))
	assert.Equal(t, []string{"game"}, w.names())
	assert.Len(t, w.records(), 1)
}

func TestAnErrorHasNoResult(t *testing.T) {
	w := newWorld(t)
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultErrorBefore, Path: "/gameserver/**"})
	require.NoError(t, err)
	result, err := w.r.Reconcile(t.Context(), w.Request())
	require.Error(t, err)
	assert.True(t, result.IsZero(), "controller-runtime warns of both")
}
