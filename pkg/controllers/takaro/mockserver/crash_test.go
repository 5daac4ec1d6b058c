// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// all contains more ordinals than any test has game servers.
var all = []int{0, 1, 2, 3, 4}

// life defines how the crash tests use a world.
var life = controllertest.Life[*world, *v1alpha1.MockServer]{
	New:     func(t *testing.T) *world { return newWorld(t, twoReplicas) },
	World:   func(w *world) *controllertest.World[*v1alpha1.MockServer] { return w.World },
	Start:   func(w *world, api client.WithWatch) reconcile.Reconciler { return w.controller(api) },
	Between: func(w *world) { w.play(all...)() },
}

// atEveryCall kills a controller of two game servers at each of its calls to the API server, Takaro
// and Redis. prepare brings the world to the state before the run that is killed, and check
// verifies the state that the next controller reaches.
func atEveryCall(t *testing.T, least int, prepare, check func(*world)) {
	t.Helper()
	life.AtEveryCall(t, controllertest.Case[*world]{Prepare: prepare, Check: check, Least: least})
}

func ready(w *world) {
	w.T.Helper()
	w.settle(w.play(all...))
	w.requireReady()
}

// requireReady requires that everything is as specified, in the cluster, in Takaro and in Redis.
func (w *world) requireReady() {
	w.T.Helper()
	server := w.Object()
	require.NotNil(w.T, server)
	require.Equal(w.T, "True AsSpecified", w.Condition(v1alpha1.ConditionReady), "%+v", server.Status)
	require.Equal(w.T, v1alpha1.MockServerReady, server.Status.Phase)
	require.Equal(w.T, server.Generation, server.Status.ObservedGeneration)

	set := &appsv1.StatefulSet{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), w.Request().NamespacedName, set))
	require.True(w.T, metav1.IsControlledBy(set, server))
	require.Equal(w.T, *server.Spec.Replicas, *set.Spec.Replicas)
	require.Equal(w.T, simulation(&server.Spec), set.Annotations[simulationAnnotation])
	require.Equal(w.T, *server.Spec.Replicas, server.Status.Replicas)
	require.Equal(w.T, *server.Spec.Replicas, server.Status.ReadyReplicas)

	var names, want []string
	domain, _ := w.Takaro.Domain(w.domainID)
	shown := []v1alpha1.MockGameServer{}
	for _, made := range domain.GameServers {
		names = append(names, made.IdentityToken+" "+made.Name)
		shown = append(shown, v1alpha1.MockGameServer{Name: made.Name, ID: made.ID, Reachable: true})
	}
	for ordinal := range replicasOf(server) {
		want = append(want, identity(server, ordinal)+" "+displayName(server, ordinal))
	}
	require.ElementsMatch(w.T, want, names, "exactly one game server per ordinal in Takaro")
	require.ElementsMatch(w.T, shown, server.Status.GameServers)
	require.Equal(w.T, *server.Spec.Replicas, server.Status.Reachable)
	w.requireRedis(server)
}

// requireRedis requires that the login of the pods works, and that the state that they saved
// matches the spec.
func (w *world) requireRedis(server *v1alpha1.MockServer) {
	w.T.Helper()
	login := shared.ClientAs(aclUser(markOf(server)), string(w.Secret(secretName(server)).Data[redisKey]))
	defer func() { _ = login.Close() }()
	for ordinal := range replicasOf(server) {
		saved, err := login.Get(w.T.Context(), savedSimulation(server, ordinal)).Result()
		require.NoError(w.T, err)
		require.Equal(w.T, simulation(&server.Spec), saved, "the simulation of %d", ordinal)
	}
}

// requireGone requires that only objects remain that the garbage collector deletes.
func requireGone(w *world) {
	w.T.Helper()
	require.Nil(w.T, w.Object())
	require.Empty(w.T, w.names(), "no game server is left in Takaro")
	sets, pods, kept := &appsv1.StatefulSetList{}, &corev1.PodList{}, &corev1.SecretList{}
	require.NoError(w.T, w.Store.List(w.T.Context(), sets))
	require.Empty(w.T, sets.Items)
	require.NoError(w.T, w.Store.List(w.T.Context(), pods))
	require.Empty(w.T, pods.Items)
	require.NoError(w.T, w.Store.List(w.T.Context(), kept, client.InNamespace(controllertest.Namespace)))
	for _, secret := range kept.Items {
		require.Equal(w.T, slices.Contains([]string{"admin", "arena-registration-token"}, secret.Name),
			metav1.GetControllerOf(&secret) == nil, secret.Name)
	}
	admin := shared.Client()
	defer func() { _ = admin.Close() }()
	require.Equal(w.T, []string{"default"}, admin.ACLUsers(w.T.Context()).Val(), "no login is left in Redis")
	require.Empty(w.T, admin.Keys(w.T.Context(), "*").Val(), "no key is left in Redis")
}

// gone deletes the MockServer and requires that nothing of it remains.
func gone(w *world) {
	w.T.Helper()
	w.Delete()
	w.Settle(w.controller(w.Store), w.play(all...))
	requireGone(w)
}

func TestCreateKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 15, func(*world) {}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestDeleteAfterCreateKilledAtEveryCall(t *testing.T) {
	life.AtEveryCall(t, controllertest.Case[*world]{
		Prepare: func(*world) {},
		Then: func(w *world, struck *controllertest.Run) {
			struck.ArriveRedis() // otherwise a login could appear undetected after the next controller has removed it
			w.Delete()
		},
		Check: requireGone,
		Least: 15,
	})
}

func TestScaleUpKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 5, func(w *world) {
		ready(w)
		w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = ptr.To[int32](4) })
	}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestScaleDownKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 5, func(w *world) {
		ready(w)
		w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = ptr.To[int32](1) })
	}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestScaleToNothingKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 5, func(w *world) {
		ready(w)
		w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = ptr.To[int32](0) })
	}, func(w *world) { w.requireReady() })
}

func TestChangedSimulationKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 10, func(w *world) {
		ready(w)
		w.change(func(spec *v1alpha1.MockServerSpec) { spec.SimulationFrequencies.Chat = ptr.To[int32](7) })
	}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestDeleteKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 10, func(w *world) {
		ready(w)
		w.Delete()
	}, requireGone)
}
