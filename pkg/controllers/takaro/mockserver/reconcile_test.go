// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
)

func twoReplicas(_ *v1alpha1.Domain, server *v1alpha1.MockServer) {
	server.Spec.Replicas = ptr.To[int32](2)
}

func TestFromNothingToReadyAndBack(t *testing.T) {
	w := newWorld(t, twoReplicas)
	w.settle(w.play(0, 1))
	require.Equal(t, "True AsSpecified", w.Condition("Ready"), "%+v", w.Object().Status)
	server := w.Object()
	assert.Equal(t, []string{"game", "game-1"}, w.names())
	assert.EqualValues(t, 2, server.Status.Reachable)
	assert.Equal(t, "takaro.roadstead.dev/mock-server=game", server.Status.Selector)
	assert.Contains(t, server.Finalizers, Finalizer)
	assert.Equal(t, types.UID("domain-uid"), server.OwnerReferences[0].UID)
	own := &corev1.Secret{}
	require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: "game-mock-server"}, own))
	pods := shared.ClientAs(aclUser(markOf(server)), string(own.Data[redisKey]))
	t.Cleanup(func() { _ = pods.Close() })
	key := "gameserver:" + identity(server, 0) + ":simulation:state"
	require.NoError(t, pods.Set(t.Context(), key, "x", 0).Err())
	require.ErrorContains(t, pods.Set(t.Context(), "gameserver:other-game-0:simulation:state", "x", 0).Err(), "NOPERM")
	require.ErrorContains(t, pods.ACLUsers(t.Context()).Err(), "NOPERM")
	require.ErrorContains(t, pods.FlushAll(t.Context()).Err(), "NOPERM")

	version := server.ResourceVersion
	w.settle(w.play(0, 1))
	assert.Equal(t, version, w.Object().ResourceVersion, "at rest nothing is written")

	w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = ptr.To[int32](1) })
	w.settle(w.play(0))
	assert.Equal(t, []string{"game"}, w.names())
	require.NoError(t, pods.Get(t.Context(), key).Err(), "a scale-down resets nothing")

	w.change(func(spec *v1alpha1.MockServerSpec) { spec.SimulationFrequencies.Chat = ptr.To[int32](7) })
	w.settle(w.play(0))
	require.ErrorContains(t, pods.Get(t.Context(), key).Err(), "nil", "the saved simulation is reset")
	assert.Equal(t, 1, w.Told()[eventSimulationReset])

	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.Empty(t, w.names())
	require.Error(t, shared.ClientAs(aclUser(markOf(server)), string(own.Data[redisKey])).Ping(t.Context()).Err(), "the login is gone")
}

func TestUnreachableGameServersGetANewPod(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	domain, _ := w.Takaro.Domain(w.domainID)
	require.NoError(t, w.Takaro.SetReachable(w.domainID, domain.GameServers[0].ID, false))
	w.r.roster.Forget(parts.Place{}) // keeps the outdated list of the domain
	w.Clock.Step(snapshotLife)
	before := &corev1.Pod{}
	name := types.NamespacedName{Namespace: controllertest.Namespace, Name: "game-0"}
	require.NoError(t, w.Store.Get(t.Context(), name, before))
	_, err := w.r.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, "False GameServersUnreachable", w.Condition("Ready"))
	w.Clock.Step(DefaultUnreachableAfter / 2)
	w.Once(w.r)
	require.NoError(t, w.Store.Get(t.Context(), name, &corev1.Pod{}), "not yet")
	w.Clock.Step(DefaultUnreachableAfter / 2)
	w.Once(w.r)
	require.Error(t, w.Store.Get(t.Context(), name, &corev1.Pod{}))
	assert.Equal(t, 1, w.Told()[eventPodRestarted])
	w.settle(w.play(0))
	assert.Equal(t, "True AsSpecified", w.Condition("Ready"))
}

// The process ends while a game server is unreachable: neither the delay nor the count of
// unsuccessful restarts starts again in the next process.
func TestRestartsGoOnInTheNextProcess(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	unreachable := func() {
		t.Helper()
		domain, _ := w.Takaro.Domain(w.domainID)
		require.NoError(t, w.Takaro.SetReachable(w.domainID, domain.GameServers[0].ID, false))
	}
	// next simulates another process that reconciles after a while, and reports whether it restarts
	// the pod.
	next := func(after time.Duration) bool {
		t.Helper()
		w.Clock.Step(after)
		w.r = w.controller(w.Store)
		w.Once(w.r)
		restarted := w.Told()[eventPodRestarted] == 1
		w.play()() // it starts again after its deletion, and does not register
		return restarted
	}
	unreachable()
	w.Clock.Step(time.Minute)
	require.False(t, next(0))
	require.Equal(t, "False GameServersUnreachable", w.Condition("Ready"))
	server := w.Object()
	ready := meta.FindStatusCondition(server.Status.Conditions, "Ready")
	ready.LastTransitionTime = metav1.NewTime(w.Clock.Now()) // the API machinery does not use the test clock
	require.NoError(t, w.Store.Status().Update(t.Context(), server))

	require.False(t, next(DefaultUnreachableAfter-5*time.Second))
	require.True(t, next(5*time.Second), "it counts from when the status says so")
	require.False(t, next(2*DefaultUnreachableAfter-5*time.Second), "the second time it takes twice as long")
	require.True(t, next(5*time.Second))
	require.False(t, next(4*DefaultUnreachableAfter-5*time.Second))
	require.True(t, next(5*time.Second))

	w.settle(w.play(0))
	require.Equal(t, "True AsSpecified", w.Condition("Ready"))
	unreachable()
	require.False(t, next(snapshotLife), "once it was reached all begins anew")
}

func TestWhatStopsIt(t *testing.T) {
	cases := []struct {
		name, condition, want string
		change                func(*v1alpha1.Domain, *v1alpha1.MockServer)
		before                func(*world)
	}{
		{"maintenance", "Ready", "False DomainInMaintenance", func(d *v1alpha1.Domain, _ *v1alpha1.MockServer) { d.Spec.MaintenanceMode = true },
			nil},
		{"no Domain", "Ready", "False DomainNotFound", func(_ *v1alpha1.Domain, m *v1alpha1.MockServer) { m.Spec.DomainRef.Name = "other" }, nil},
		{"no connector", "Deployed", "False ConnectorUnknown", func(d *v1alpha1.Domain, _ *v1alpha1.MockServer) { d.Spec.ConnectorURL = "" },
			nil},
		{"no Redis", "Deployed", "False RedisNotConfigured", nil, func(w *world) {
			require.NoError(w.T, w.Store.Delete(w.T.Context(), controllertest.NewSecret(controllertest.System, "redis", nil, nil)))
		}},
		{"a Redis without a host", "Deployed", `False RedisNotConfigured`, nil, func(w *world) {
			useless := &corev1.Secret{}
			require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.System, Name: "redis"}, useless))
			delete(useless.Data, "host")
			require.NoError(w.T, w.Store.Update(w.T.Context(), useless))
		}},
		{"no token", "Ready", "False DomainNotReady", nil, func(w *world) {
			require.NoError(w.T, w.Store.Delete(w.T.Context(), controllertest.NewSecret(controllertest.Namespace,
				"arena-registration-token", nil, nil)))
		}},
		{"the StatefulSet's name is taken", "Deployed", "False StatefulSetNameTaken", nil, func(w *world) {
			w.Add(&appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: "game"},
				Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](1)}})
		}},
		{"the Secret's name is taken", "Deployed", "False SecretNameTaken", nil, func(w *world) {
			w.Add(controllertest.NewSecret(controllertest.Namespace, "game-mock-server", nil, nil))
		}},
		{"own Redis, Secret missing", "Ready", "False SecretNotFound", func(_ *v1alpha1.Domain, m *v1alpha1.MockServer) {
			m.Spec.Redis = &v1alpha1.MockServerRedis{Host: "redis", PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "none", Key: "password"}}
		}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.change != nil {
				w = newWorld(t, c.change)
			}
			if c.before != nil {
				c.before(w)
			}
			w.Once(w.r)
			assert.Equal(t, c.want, w.Condition(c.condition))
			assert.True(t, strings.HasPrefix(w.Condition("Ready"), "False "))
			own := &appsv1.StatefulSetList{}
			require.NoError(t, w.Store.List(t.Context(), own))
			for _, set := range own.Items {
				assert.Empty(t, set.OwnerReferences, "nothing was started, nothing of others was taken")
			}
			require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
			w.Once(w.r)
			assert.Nil(t, w.Object(), "what was never begun goes at once")
		})
	}
}

func TestNameConflictIsToldOnce(t *testing.T) {
	w := newWorld(t)
	_, err := w.Takaro.ConnectGameServer(w.domainID, "game")
	require.NoError(t, err)
	w.settle(w.play(0))
	assert.Equal(t, "True AsSpecified", w.Condition("Ready"))
	assert.Equal(t, identity(w.Object(), 0), w.Object().Status.GameServers[0].Name)
	for range 5 {
		w.Clock.Step(snapshotLife)
		w.settle(w.play(0))
	}
	assert.Equal(t, 1, w.Told()[eventNameTaken])
}

func TestRetainInMaintenanceLeavesTheRecords(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	domain := &v1alpha1.Domain{}
	require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: "arena"}, domain))
	domain.Spec.DeletionPolicy, domain.Spec.MaintenanceMode, domain.Finalizers = v1alpha1.DeletionPolicyRetain, true, []string{"test/holds"}
	require.NoError(t, w.Store.Update(t.Context(), domain))
	require.NoError(t, w.Store.Delete(t.Context(), domain))
	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.Equal(t, []string{"game"}, w.names())
	assert.Equal(t, 1, w.Told()[eventLeftInTakaro])
}
