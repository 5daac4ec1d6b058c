// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	testingclock "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

func withDomain(server *v1alpha1.MockServer) *v1alpha1.MockServer {
	server.Spec.DomainRef = &v1alpha1.LocalObjectReference{Name: "arena"}
	return server
}

func readyDomain(change ...func(*v1alpha1.Domain)) *v1alpha1.Domain {
	domain := &v1alpha1.Domain{}
	domain.Name, domain.Namespace = "arena", "team"
	hold(domain, "nice-cats-jump")
	domain.Status.RegistrationTokenSecretRef = &v1alpha1.LocalObjectReference{Name: "arena-registration-token"}
	for _, do := range change {
		do(domain)
	}
	return domain
}

func deleted(d *v1alpha1.Domain)     { d.DeletionTimestamp = &metav1.Time{Time: time.Now()} }
func maintenance(d *v1alpha1.Domain) { d.Spec.MaintenanceMode = true }
func disabled(d *v1alpha1.Domain)    { d.Spec.Disabled = true }
func policy(p v1alpha1.DeletionPolicy) func(*v1alpha1.Domain) {
	return func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = p }
}

func TestGate(t *testing.T) {
	server := withDomain(named("one", "game"))
	cases := []struct {
		name   string
		domain *v1alpha1.Domain
		want   string
	}{
		{"none", nil, v1alpha1.ReasonDomainNotFound},
		{"ready", readyDomain(), ""},
		{"new", readyDomain(func(d *v1alpha1.Domain) { hold(d, "") }), v1alpha1.ReasonDomainNotReady},
		{"no token yet", readyDomain(func(d *v1alpha1.Domain) { d.Status.RegistrationTokenSecretRef = nil }), v1alpha1.ReasonDomainNotReady},
		{"leaving", readyDomain(deleted, maintenance), v1alpha1.ReasonDomainDeleting},
		{"maintenance", readyDomain(maintenance), v1alpha1.ReasonDomainInMaintenance},
		{"disabled", readyDomain(disabled), v1alpha1.ReasonDomainInMaintenance},
		{"missing in Takaro", readyDomain(func(d *v1alpha1.Domain) {
			d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSynced, Status: metav1.ConditionFalse,
				Reason: v1alpha1.ReasonVanished}}
		}), v1alpha1.ReasonDomainNotReady},
		{"not reachable", readyDomain(func(d *v1alpha1.Domain) {
			d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionEndpointReady, Status: metav1.ConditionFalse,
				Reason: "AdminTokenRefused"}}
		}), v1alpha1.ReasonDomainNotReady},
	}
	for _, c := range cases {
		blocked := gate(server, c.domain)
		if c.want == "" {
			assert.Nil(t, blocked, c.name)
			continue
		}
		require.NotNil(t, blocked, c.name)
		assert.Equal(t, c.want, blocked.Reason, c.name)
		assert.Contains(t, blocked.Message, `Domain "arena"`, c.name)
	}
	assert.Nil(t, gate(named("one", "game"), nil), "a foreign domain has no Domain")
}

func TestDisposalOf(t *testing.T) {
	server := withDomain(named("one", "game"))
	cases := []struct {
		name   string
		server *v1alpha1.MockServer
		domain *v1alpha1.Domain
		want   disposal
	}{
		{"foreign", named("one", "game"), nil, remove},
		{"Domain gone", server, nil, nothing},
		{"never made", server, readyDomain(func(d *v1alpha1.Domain) { hold(d, "") }), nothing},
		{"Domain stays", server, readyDomain(), remove},
		{"Domain stays in maintenance", server, readyDomain(maintenance), remove},
		{"goes with it", server, readyDomain(deleted, policy(v1alpha1.DeletionPolicyDelete)), nothing},
		{"disabled with it", server, readyDomain(deleted, policy(v1alpha1.DeletionPolicyDisable)), nothing},
		{"retained", server, readyDomain(deleted, policy(v1alpha1.DeletionPolicyRetain)), remove},
		{"retained in maintenance", server, readyDomain(deleted, maintenance, policy(v1alpha1.DeletionPolicyRetain)), leave},
		{"retained, disabled", server, readyDomain(deleted, disabled, policy(v1alpha1.DeletionPolicyRetain)), leave},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, disposalOf(c.server, c.domain), c.name)
	}
}

func TestVerdict(t *testing.T) {
	cases := []struct {
		name string
		view view
		want string
	}{
		{"all well", view{wanted: 2, deployed: true, registered: 2, reachable: 2}, ""},
		{"none wanted", view{deployed: true}, ""},
		{"at its limit and complete", view{wanted: 1, deployed: true, registered: 1, reachable: 1, full: true, refused: true}, ""},
		{"pods", view{wanted: 2, ready: 1, registered: 2, reachable: 2}, v1alpha1.ReasonPodsNotReady},
		{"registering", view{wanted: 2, deployed: true, registered: 1, reachable: 1}, v1alpha1.ReasonRegistering},
		{"full, though no pod exited", view{wanted: 2, deployed: true, registered: 1, reachable: 1, full: true}, v1alpha1.ReasonRegistering},
		{"a pod exited, though not full", view{wanted: 2, registered: 1, refused: true}, v1alpha1.ReasonPodsNotReady},
		{"limit", view{wanted: 2, registered: 1, reachable: 1, full: true, refused: true}, v1alpha1.ReasonGameServerLimitReached},
		{"surplus", view{wanted: 1, deployed: true, registered: 1, reachable: 1, surplus: 1}, v1alpha1.ReasonRegistering},
		{"unreachable", view{wanted: 2, deployed: true, registered: 2, reachable: 1}, v1alpha1.ReasonGameServersUnreachable},
	}
	for _, c := range cases {
		reason, message := c.view.verdict()
		assert.Equal(t, c.want, reason, c.name)
		assert.Equal(t, c.want == "", message == "", c.name)
	}
}

func TestViewOf(t *testing.T) {
	a := &attempt{server: named("one", "game"), limit: 3, pods: map[int]pod{0: {name: "game-0", up: true}, 1: {name: "game-1", crashed: true,
		trouble: "CrashLoopBackOff"}}}
	a.server.Spec.Replicas = ptr.To[int32](2)
	a.set = &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](2)}, Status: appsv1.StatefulSetStatus{Replicas: 2,
		ReadyReplicas: 2, UpdatedReplicas: 2}}
	v := viewOf(a, map[int]takaro.GameServer{0: {Name: "game", Reachable: true}, 4: {Name: "game-4", Reachable: true}}, 3)
	assert.Equal(t, view{wanted: 2, deployed: true, ready: 2, registered: 1, reachable: 1, surplus: 1, full: true, refused: true, limit: 3,
		trouble: "pod game-1: CrashLoopBackOff"}, v)
	a.set.Status.UpdatedReplicas = 1
	assert.False(t, viewOf(a, nil, 0).deployed, "a change is under way")
	a.limit = -1
	assert.False(t, viewOf(a, nil, 1000).full, "no limit is known")
}

func TestHintOf(t *testing.T) {
	a := &attempt{server: withDomain(named("one", "game")), connector: "ws://connector:3004"}
	a.server.Namespace, a.server.Spec.Replicas = "team", ptr.To[int32](2)
	v := view{wanted: 2, deployed: true, registered: 1, connector: a.connector}
	_, message := v.verdict()
	assert.Equal(t, "1 of 2 game servers are registered with Takaro; their pods dial the connector at ws://connector:3004", message,
		"they may still be starting")
	one := map[int]takaro.GameServer{0: {}}
	always := func(pod) bool { return true }
	assert.Empty(t, hintOf(a, one, func(pod) bool { return false }))
	v.hint = hintOf(a, one, always)
	_, message = v.verdict()
	assert.Equal(t, "1 of 2 game servers are registered with Takaro; if it stays so, look at what pod game-1 says (kubectl logs "+
		"game-1 -n team): it must reach the connector at ws://connector:3004", message)
	assert.Empty(t, hintOf(a, map[int]takaro.GameServer{0: {}, 1: {}}, always))
	a.connector = "wss://connect.example"
	assert.Contains(t, hintOf(a, one, always), `a private CA by the key "ca.crt" of the installation's endpoint`)
	a.Resolved.Own = true
	assert.Contains(t, hintOf(a, one, always),
		`wss://connect.example and trust its certificate, a private CA by spec.caBundleSecretRef of Domain "arena"`)
	a.server.Spec.DomainRef = nil
	assert.Contains(t, hintOf(a, one, always), "spec.caBundleSecretRef of this object")
}

func TestOverdue(t *testing.T) {
	now := testingclock.NewFakePassiveClock(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC))
	r := &reconciler{Parts: parts.Parts[*v1alpha1.MockServer]{Clock: now}, restarts: newRestarts(now, DefaultUnreachableAfter)}
	ago := func(age time.Duration) time.Time { return now.Now().Add(-age) }
	made := func(age time.Duration) *attempt {
		a := &attempt{server: named("one", "game")}
		a.server.CreationTimestamp = metav1.NewTime(ago(age))
		return a
	}
	for name, c := range map[string]struct {
		since time.Duration
		pod   pod
		want  bool
	}{
		"its program starts":                {registering, pod{up: true, started: ago(registering - time.Second)}, false},
		"its program runs long enough":      {registering, pod{up: true, started: ago(registering)}, true},
		"its program ended":                 {registering, pod{crashed: true, started: ago(registering)}, false},
		"nobody knows since when it runs":   {registering, pod{up: true}, false},
		"its image is being pulled":         {starting - time.Second, pod{}, false},
		"nothing came of it, and no pod is": {starting, pod{}, true},
	} {
		assert.Equal(t, c.want, r.overdue(made(c.since), c.pod), name)
	}
}

func TestPhaseOf(t *testing.T) {
	condition := func(status metav1.ConditionStatus, reason string) *v1alpha1.MockServer {
		server := named("one", "game")
		set(server, v1alpha1.ConditionReady, status, reason, "")
		return server
	}
	leaving := condition(metav1.ConditionTrue, v1alpha1.ReasonAsSpecified)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	cases := map[v1alpha1.MockServerPhase][]*v1alpha1.MockServer{
		v1alpha1.MockServerPending: {named("one", "game"), condition(metav1.ConditionFalse, v1alpha1.ReasonDomainNotFound),
			condition(metav1.ConditionFalse, v1alpha1.ReasonDomainInMaintenance)},
		v1alpha1.MockServerDeploying: {condition(metav1.ConditionFalse, v1alpha1.ReasonPodsNotReady), condition(metav1.ConditionUnknown,
			v1alpha1.ReasonReconciling)},
		v1alpha1.MockServerRegistering: {condition(metav1.ConditionFalse, v1alpha1.ReasonRegistering), condition(metav1.ConditionFalse,
			v1alpha1.ReasonGameServersUnreachable)},
		v1alpha1.MockServerReady: {condition(metav1.ConditionTrue, v1alpha1.ReasonAsSpecified)},
		v1alpha1.MockServerError: {condition(metav1.ConditionFalse, v1alpha1.ReasonGameServerLimitReached), condition(metav1.ConditionFalse,
			v1alpha1.ReasonConnectorUnknown)},
		v1alpha1.MockServerDeleting: {leaving},
	}
	for want, servers := range cases {
		for _, server := range servers {
			assert.Equal(t, want, phaseOf(server))
		}
	}
}

func TestPodOf(t *testing.T) {
	state := func(state, last corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "sidecar"}, {Name: containerName,
			State: state, LastTerminationState: last}}}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	exited := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
	waits := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "back-off 10s"}}
	}
	assert.Equal(t, pod{}, podOf(&corev1.Pod{}))
	assert.Equal(t, pod{up: true}, podOf(state(running, corev1.ContainerState{})))
	assert.Equal(t, pod{up: true, crashed: true}, podOf(state(running, exited)))
	assert.Equal(t, pod{crashed: true, trouble: "CrashLoopBackOff"}, podOf(state(waits("CrashLoopBackOff"), exited)))
	assert.Equal(t, pod{trouble: "ImagePullBackOff: back-off 10s"}, podOf(state(waits("ImagePullBackOff"), corev1.ContainerState{})))
	assert.Equal(t, pod{}, podOf(state(waits("ContainerCreating"), corev1.ContainerState{})))
}

func TestRestartsLosePatienceSlowly(t *testing.T) {
	clock := testingclock.NewFakeClock(time.Now())
	r := newRestarts(clock, time.Minute)
	assert.Equal(t, time.Minute, r.remaining("s", 0, pod{uid: "a"}, time.Time{}))
	clock.Step(40 * time.Second)
	assert.Equal(t, 20*time.Second, r.remaining("s", 0, pod{uid: "a"}, time.Time{}))
	assert.Equal(t, time.Minute, r.remaining("s", 1, pod{uid: "b"}, time.Time{}), "another game server")
	clock.Step(time.Minute)
	assert.Zero(t, r.remaining("s", 0, pod{uid: "a"}, time.Time{}))
	r.restarted("s", 0)
	assert.Equal(t, 2*time.Minute, r.remaining("s", 0, pod{uid: "c"}, time.Time{}), "a new pod counts anew, and longer")
	r.reached("s", 0)
	assert.Equal(t, time.Minute, r.remaining("s", 0, pod{uid: "c"}, time.Time{}))
	for range 20 {
		r.restarted("s", 0)
	}
	assert.Equal(t, mostPatience, r.remaining("s", 0, pod{uid: "c"}, time.Time{}))
	r.forget("s")
	assert.Equal(t, time.Minute, r.remaining("s", 0, pod{uid: "c"}, time.Time{}))
}

// A new process continues where the last one ended, and does not restart any pod earlier.
func TestRestartsAreResumed(t *testing.T) {
	lost := time.Now()
	at := func(seconds int) time.Time { return lost.Add(time.Duration(seconds) * time.Second) }
	cases := []struct {
		name          string
		made, started time.Time
		now           time.Time
		want          time.Duration
	}{
		{"the pod was there before", at(-1000), at(-900), at(40), 20 * time.Second},
		{"it is due", at(-1000), at(-900), at(100), 0},
		{"its program was restarted since", at(-1000), at(30), at(40), 50 * time.Second},
		{"the first start", at(2), at(5), at(40), 25 * time.Second},
		{"the second pod", at(61), at(65), at(70), 115 * time.Second},
		{"the third pod", at(183), at(185), at(185), 4 * time.Minute},
		{"nobody knows how many there were", at(1000000), at(1000000), at(1000000), mostPatience},
	}
	for _, c := range cases {
		r := newRestarts(testingclock.NewFakeClock(c.now), time.Minute)
		p := pod{uid: "a", made: c.made, started: c.started}
		assert.Equal(t, c.want, r.remaining("s", 0, p, lost), c.name)
		assert.Equal(t, c.want, r.remaining("s", 0, p, lost), c.name)
	}
}

func TestLostSince(t *testing.T) {
	then := metav1.NewTime(time.Unix(1000, 0))
	status := func(ready metav1.ConditionStatus, reason string) v1alpha1.MockServerStatus {
		return v1alpha1.MockServerStatus{GameServers: []v1alpha1.MockGameServer{{ID: "reached", Reachable: true}, {ID: "lost"}},
			Conditions: []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: ready, Reason: reason, LastTransitionTime: then}}}
	}
	unreachable := status(metav1.ConditionFalse, v1alpha1.ReasonGameServersUnreachable)
	assert.Equal(t, then.Time, lostSince(unreachable, "lost"))
	assert.Equal(t, then.Time, lostSince(unreachable, ""), "one that is not registered")
	assert.Zero(t, lostSince(unreachable, "reached"), "it was lost just now")
	assert.Zero(t, lostSince(status(metav1.ConditionTrue, v1alpha1.ReasonAsSpecified), "lost"))
	assert.Zero(t, lostSince(status(metav1.ConditionFalse, v1alpha1.ReasonDomainInMaintenance), "lost"), "that was not its pod's fault")
	assert.Zero(t, lostSince(status(metav1.ConditionFalse, v1alpha1.ReasonGameServerLimitReached), "lost"))
	assert.Zero(t, lostSince(v1alpha1.MockServerStatus{}, "lost"))
}

func TestResettable(t *testing.T) {
	for key, want := range map[string][2]bool{
		"gameserver:x-game-0:simulation:state":  {true, true},
		"gameserver:x-game-0:simulation:config": {true, true},
		"gameserver:x-game-0:players":           {false, true},
		"gameserver:x-game-0:player:1:meta":     {false, true},
		"gameserver:x-game-0:ban:1":             {false, false},
		"gameserver:x-players:ban:1":            {false, false},
	} {
		assert.Equal(t, want, [2]bool{resettable(key, false), resettable(key, true)}, key)
	}
}
