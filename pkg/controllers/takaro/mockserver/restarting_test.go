// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// pod returns a pod, or nil if it does not exist.
func (w *world) pod(name string) *corev1.Pod {
	w.T.Helper()
	found := &corev1.Pod{}
	if w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: name}, found) != nil {
		return nil
	}
	return found
}

// spend uses up the restarts of the current minute at the world's endpoint.
func (w *world) spend() {
	w.T.Helper()
	w.Clock.Step(restartWindow)
	wait, _ := w.r.limit.take(w.place(), 1)
	require.Zero(w.T, wait)
}

func TestPodsOfOthersAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	labels := w.pod("game-0").Labels
	stranger := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: "game-1", Labels: labels},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: containerName,
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}}}}}
	w.Add(stranger)
	n := int32(2)
	w.change(func(spec *v1alpha1.MockServerSpec) { spec.Replicas = &n })
	for range 20 {
		w.Clock.Step(pollLate)
		w.Once(w.r)
	}
	require.NotNil(t, w.pod("game-1"))
	assert.Zero(t, w.Told()[eventPodRestarted])
	w.Delete()
	w.Once(w.r)
	require.NoError(t, w.Store.Delete(t.Context(), w.pod("game-0")))
	w.settle(func() {})
	assert.Nil(t, w.Object(), "nobody waits for it")
}

func TestHeldNameIsShown(t *testing.T) {
	w := newWorld(t)
	for range 2 {
		w.Once(w.r)
		w.play()()
	}
	pod := w.pod("game-0")
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	pod.Status.ContainerStatuses[0].LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1,
		Message: "Failed to register with Takaro server: ConflictError (409): Unique constraint violation"}}
	require.NoError(t, w.Store.Status().Update(t.Context(), pod))
	w.Once(w.r)
	for _, kind := range []string{"Ready", "Registered"} {
		assert.Equal(t, "False GameServerNameHeld", w.Condition(kind))
		assert.Contains(t, w.Message(kind), "delete this MockServer and create it again")
	}
}

// Takaro's connector forgets the game servers of a domain that is not active, and they do not
// identify again without a restart.
func TestPodsAreRestartedWhenTheDomainIsOpenedAgain(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	annotation := func() string {
		t.Helper()
		set, err := w.set()
		require.NoError(t, err)
		return set.Spec.Template.Annotations[closedAnnotation]
	}
	domain := &v1alpha1.Domain{}
	name := types.NamespacedName{Namespace: controllertest.Namespace, Name: "arena"}
	mode := func(maintenance bool) {
		t.Helper()
		require.NoError(t, w.Store.Get(t.Context(), name, domain))
		domain.Spec.MaintenanceMode = maintenance
		require.NoError(t, w.Store.Update(t.Context(), domain))
		w.Once(w.r)
	}
	assert.Empty(t, annotation())
	mode(true)
	require.Equal(t, "False DomainInMaintenance", w.Condition("Ready"))
	assert.Empty(t, annotation(), "not before its end")
	other := w.r.limit
	other.note(w.place(), "other", 1, nil)
	w.spend()
	mode(false)
	assert.Equal(t, "False DomainInMaintenance", w.Condition("Ready"), "others come first")
	assert.Contains(t, w.Message("Ready"), "are restarted, a few of all MockServers every minute")
	assert.Empty(t, annotation())
	w.Clock.Step(restartWindow)
	w.settle(w.play(0))
	w.requireReady()
	closed := annotation()
	assert.NotEmpty(t, closed)
	w.settle(w.play(0))
	assert.Equal(t, closed, annotation(), "once")
}

// place returns the endpoint of the world.
func (w *world) place() endpoint.Key {
	return endpoint.KeyOf(takaro.Endpoint{URL: w.Front.URL, AdminToken: takaro.NewSecret(w.Takaro.AdminToken()), Own: true})
}

func TestNewDefaultImageRestartsAFewAtATime(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	w.spend()
	w.r.image = "registry.example/mock:next"
	image := func() string {
		t.Helper()
		set, err := w.set()
		require.NoError(t, err)
		return set.Spec.Template.Spec.Containers[0].Image
	}
	result := w.Once(w.r)
	assert.Equal(t, "True AsSpecified", w.Condition("Ready"))
	assert.Equal(t, DefaultImage, image())
	assert.Equal(t, restartWindow, result.RequeueAfter)
	w.Clock.Step(result.RequeueAfter)
	w.settle(w.play(0))
	assert.Equal(t, "registry.example/mock:next", image())

	w.spend()
	w.change(func(spec *v1alpha1.MockServerSpec) { spec.Image = "registry.example/mock:mine" })
	w.Once(w.r)
	assert.Equal(t, "registry.example/mock:mine", image(), "what the spec asks for is not held back")
}

// A game server whose events the connector drops is still reachable.
func TestSilentGameServersGetANewPod(t *testing.T) {
	w := newWorld(t, twoReplicas)
	w.settle(w.play(0, 1))
	w.r.QPS = 1e6
	compare := &watch{reconciler: w.r}
	// pass advances the time for Takaro and its players.
	pass := func(d time.Duration, names ...string) {
		t.Helper()
		w.Clock.Step(d)
		w.Takaro.AdvanceClock(d)
		for _, name := range names {
			require.NoError(t, w.Takaro.PlantEvent(w.domainID, w.gameServer(name).ID, "chat-message"))
		}
		compare.loop().Once(t.Context())
		w.Once(w.r)
	}
	first, second := w.pod("game-0").UID, w.pod("game-1")
	pass(silencePeriod, "game", "game-1")
	w.Takaro.ResetCounts()
	pass(silencePeriod, "game")
	assert.LessOrEqual(t, w.Takaro.Count("POST", "/event/search"), 2)
	require.Equal(t, second.UID, w.pod("game-1").UID)
	pass(silencePeriod+time.Minute, "game")
	assert.Nil(t, w.pod("game-1"))
	assert.Equal(t, first, w.pod("game-0").UID)
	assert.Equal(t, 1, w.Told()[eventPodRestarted])

	// A restart that did not help is repeated with increasing delays.
	w.play(0, 1)()
	restarts := 0
	for range 12 {
		pass(silencePeriod, "game")
		restarts += w.Told()[eventPodRestarted]
		w.play(0, 1)()
	}
	assert.Equal(t, 2, restarts, "after 20 min and 40 min")
	pass(silencePeriod, "game", "game-1")
	pass(silencePeriod, "game", "game-1")
	assert.Empty(t, w.r.silences.silent)
}

func TestSimulates(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.MockServerSpec){
		"not started": func(spec *v1alpha1.MockServerSpec) { spec.AutoStart = new(bool) },
		"no players":  func(spec *v1alpha1.MockServerSpec) { spec.TotalPlayers = new(int32) },
		"no replicas": func(spec *v1alpha1.MockServerSpec) { spec.Replicas = new(int32) },
		"nothing that Takaro stores": func(spec *v1alpha1.MockServerSpec) {
			often := &spec.SimulationFrequencies
			often.Chat, often.Connection, often.Death, often.Kill = nil, nil, nil, nil
		},
	} {
		server := named("one", "game")
		assert.True(t, simulates(&server.Spec))
		change(&server.Spec)
		assert.False(t, simulates(&server.Spec), name)
	}
}

// If most game servers of an endpoint are unreachable, the pods are not the cause.
func TestRestartsAreHeldBackWhenMostAreUnreachable(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	for i := range 10 {
		w.r.limit.note(w.place(), types.UID(rune('a'+i)), 1, []string{"team/other-0"})
	}
	w.spend() // the pod that is restarted as a probe
	require.NoError(t, w.Takaro.SetReachable(w.domainID, w.gameServer("game").ID, false))
	w.Clock.Step(snapshotLife)
	for range 4 {
		w.Clock.Step(DefaultUnreachableAfter / 2)
		w.Once(w.r)
	}
	assert.NotNil(t, w.pod("game-0"))
	assert.Equal(t, "False GameServersUnreachable", w.Condition("Ready"))
	assert.Contains(t, w.Message("Ready"), "11 of 11 game servers of this Takaro are unreachable")
	for i := range 8 {
		w.r.limit.note(w.place(), types.UID(rune('a'+i)), 1, nil)
	}
	w.Clock.Step(heldPause)
	w.Once(w.r)
	assert.Nil(t, w.pod("game-0"), "it ends by itself")
}
