// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/netguard"
	"roadstead.dev/roadstead/pkg/takaro"
	"roadstead.dev/roadstead/test/fakes/redis"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const (
	testNamespace = "team"
	testSystem    = "roadstead-system"
	testUID       = types.UID("11111111-2222-3333-4444-555555555555")
)

var testRequest = reconcile.Request{NamespacedName: types.NamespacedName{Namespace: testNamespace, Name: "game"}}

var shared *redis.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if shared, err = redis.Start(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = shared.Close() }()
	return m.Run()
}

// kinds is made once: that takes longer than a whole test.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	made := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(made))
	utilruntime.Must(appsv1.AddToScheme(made))
	utilruntime.Must(v1alpha1.AddToScheme(made))
	return made
})

// world is what outlives a controller: the stored objects, Takaro, Redis, and the time. Its cluster runs pods when play says
// so.
type world struct {
	t        *testing.T
	store    client.WithWatch
	takaro   *standin.Server
	domainID string
	clock    *testingclock.FakeClock
	recorder *events.FakeRecorder
	r        *reconciler
	pods     int
}

// newWorld has a Ready Domain, its Secrets, and a MockServer.
func newWorld(t *testing.T, change ...func(*v1alpha1.Domain, *v1alpha1.MockServer)) *world {
	t.Helper()
	w := &world{t: t, clock: testingclock.NewFakeClock(time.Now()), takaro: standin.New(standin.Options{}), recorder: events.NewFakeRecorder(1000)}
	front := httptest.NewServer(w.takaro)
	t.Cleanup(front.Close)
	planted, _, err := w.takaro.PlantDomain(standin.Seed{MaxGameServers: 10})
	require.NoError(t, err)
	w.domainID = planted.ID
	build := fake.NewClientBuilder().WithScheme(kinds()).WithStatusSubresource(&v1alpha1.Domain{}, &v1alpha1.MockServer{}, &appsv1.StatefulSet{})
	for field, values := range indexes {
		build = build.WithIndex(&v1alpha1.MockServer{}, field, values)
	}
	w.store = build.Build()

	domain := readyDomain()
	domain.Spec = v1alpha1.DomainSpec{TakaroAPIURL: front.URL, ConnectorURL: "ws://127.0.0.1:3004", CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "admin", Key: "adminToken"}}
	domain.UID = "domain-uid"
	domain.Status.DomainID = w.domainID
	limit := int32(10)
	domain.Status.ObservedLimits = &v1alpha1.DomainLimits{MaxGameServers: &limit}
	server := withDomain(named(string(testUID), "game"))
	server.Generation = 1
	for _, do := range change {
		do(domain, server)
	}
	w.add(domain, server, secret(testNamespace, "admin", nil, map[string]string{"adminToken": w.takaro.AdminToken()}),
		secret(testNamespace, "arena-registration-token", nil, map[string]string{"token": planted.RegistrationToken}),
		secret(testSystem, "redis", map[string]string{RedisLabel: "true"}, map[string]string{"host": shared.Host, "port": strconv.Itoa(shared.Port), "username": "default", "password": shared.Password}))
	w.r = w.controller()
	return w
}

func secret(namespace, name string, labels, data map[string]string) *corev1.Secret {
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}, Data: map[string][]byte{}}
	for key, value := range data {
		made.Data[key] = []byte(value)
	}
	return made
}

func (w *world) add(objects ...client.Object) {
	w.t.Helper()
	for _, object := range objects {
		require.NoError(w.t, w.store.Create(w.t.Context(), object))
	}
}

func (w *world) controller() *reconciler {
	dial := netguard.Policy{AllowLoopback: true, AllowPrivate: true}
	pool := takaro.NewPool(takaro.Options{QPS: 1e6, Burst: 1e6, Timeout: 5 * time.Second, FailureThreshold: 1000, Dial: dial})
	w.t.Cleanup(pool.Close)
	reader := secrets.NewReader(w.store, w.store)
	return &reconciler{
		client: w.store, live: w.store, secrets: secrets.NewOwned(reader, w.store), protector: secrets.NewProtector(w.store, w.store),
		endpoints: endpoint.NewResolver(w.store, reader, testSystem, nil), pool: pool, redis: newRedisAccess(w.clock, dial, testSystem),
		roster: newRoster(w.clock), restarts: newRestarts(w.clock, DefaultUnreachableAfter), conflicts: newConflicts(w.clock), foreign: newForeignIDs(),
		recorder: w.recorder, clock: w.clock, image: DefaultImage,
	}
}

// settle reconciles until nothing is left to do, or until it only waits for what does not come; between two runs the time
// passes that the controller asks for, and the cluster plays.
func (w *world) settle(play func()) {
	w.t.Helper()
	for range 20 {
		result, err := w.r.Reconcile(w.t.Context(), testRequest)
		play()
		switch {
		case err != nil:
			w.clock.Step(time.Second)
		case result.RequeueAfter > 0:
			w.clock.Step(result.RequeueAfter)
		default:
			return
		}
	}
}

// play is the StatefulSet controller and the kubelet: the pods that are wanted run, others are gone, and those of the given
// ordinals register.
func (w *world) play(registering ...int) func() {
	return func() {
		w.t.Helper()
		set, err := &appsv1.StatefulSet{}, error(nil)
		if err = w.store.Get(w.t.Context(), testRequest.NamespacedName, set); err != nil {
			require.NoError(w.t, client.IgnoreNotFound(err))
			require.NoError(w.t, w.store.DeleteAllOf(w.t.Context(), &corev1.Pod{}, client.InNamespace(testNamespace)))
			return
		}
		wanted := int(*set.Spec.Replicas)
		for ordinal := range max(wanted, 5) {
			w.playPod(set, ordinal, ordinal < wanted)
		}
		set.Status.Replicas, set.Status.ReadyReplicas, set.Status.UpdatedReplicas = *set.Spec.Replicas, *set.Spec.Replicas, *set.Spec.Replicas
		require.NoError(w.t, w.store.Status().Update(w.t.Context(), set))
		for _, ordinal := range registering {
			if ordinal < wanted {
				_, _ = w.takaro.ConnectGameServer(w.domainID, identity(w.server(), ordinal)) // a refusal is what a limit gives
			}
		}
	}
}

func (w *world) playPod(set *appsv1.StatefulSet, ordinal int, wanted bool) {
	w.t.Helper()
	name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
	made := &corev1.Pod{}
	err := w.store.Get(w.t.Context(), name, made)
	switch {
	case err == nil && !wanted:
		require.NoError(w.t, w.store.Delete(w.t.Context(), made))
	case err != nil && wanted:
		w.pods++
		w.add(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name, UID: types.UID(fmt.Sprintf("pod-%d", w.pods)), Labels: set.Spec.Template.Labels},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: containerName, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}})
	}
}

// server returns the stored MockServer, nil when it is gone.
func (w *world) server() *v1alpha1.MockServer {
	w.t.Helper()
	server := &v1alpha1.MockServer{}
	if err := w.store.Get(w.t.Context(), testRequest.NamespacedName, server); err != nil {
		require.NoError(w.t, client.IgnoreNotFound(err))
		return nil
	}
	return server
}

// change changes the spec as the API server would.
func (w *world) change(do func(*v1alpha1.MockServerSpec)) {
	w.t.Helper()
	server := w.server()
	do(&server.Spec)
	server.Generation++
	require.NoError(w.t, w.store.Update(w.t.Context(), server))
}

// condition returns status and reason of a condition.
func (w *world) condition(kind string) string {
	w.t.Helper()
	found := meta.FindStatusCondition(w.server().Status.Conditions, kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}

// names gives the names of the game servers in Takaro.
func (w *world) names() []string {
	w.t.Helper()
	domain, _ := w.takaro.Domain(w.domainID)
	names := []string{}
	for _, server := range domain.GameServers {
		names = append(names, server.Name)
	}
	return names
}

// told gives how many events of a reason there were so far, and forgets them.
func (w *world) told() map[string]int {
	told := map[string]int{}
	for {
		select {
		case text := <-w.recorder.Events:
			var kind, reason string
			_, _ = fmt.Sscan(text, &kind, &reason)
			told[reason]++
		default:
			return told
		}
	}
}
