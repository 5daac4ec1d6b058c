// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/absence"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	"roadstead.dev/roadstead/test/fakes/redis"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const testUID = types.UID("11111111-2222-3333-4444-555555555555")

var shared *redis.Server

// anyPort allows a Redis on a port that the system chose.
var anyPort = RedisPorts{{Base: 1, Size: 65535}}

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

// world contains a Ready Domain, its Secrets, and a MockServer. play simulates the pods of its
// cluster.
type world struct {
	*controllertest.World[*v1alpha1.MockServer]
	domainID string
	r        *reconciler
	pods     int
}

func newWorld(t *testing.T, change ...func(*v1alpha1.Domain, *v1alpha1.MockServer)) *world {
	t.Helper()
	w := &world{World: controllertest.New(t, controllertest.Kind[*v1alpha1.MockServer]{
		Name: "game", New: func() *v1alpha1.MockServer { return &v1alpha1.MockServer{} },
		Conditions: func(m *v1alpha1.MockServer) []metav1.Condition { return m.Status.Conditions }, Indexes: indexes,
		DomainIndexes: map[string]client.IndexerFunc{authorityIndex: authorityOf},
	})}
	planted, _, err := w.Takaro.PlantDomain(standin.Seed{MaxGameServers: 10})
	require.NoError(t, err)
	w.domainID = planted.ID
	clearRedis(t)

	domain := readyDomain()
	domain.Spec = v1alpha1.DomainSpec{TakaroAPIURL: w.Front.URL, ConnectorURL: "ws://127.0.0.1:3004",
		CredentialsSecretRef: &v1alpha1.SecretKeyReference{Name: "admin", Key: "adminToken"}}
	domain.UID = "domain-uid"
	hold(domain, w.domainID)
	domain.Status.ObservedLimits = &v1alpha1.DomainLimits{MaxGameServers: ptr.To[int32](10)}
	server := withDomain(named(string(testUID), "game"))
	server.Generation = 1
	for _, do := range change {
		do(domain, server)
	}
	host, port := w.FrontRedis(shared.Addr())
	if meta.FindStatusCondition(server.Status.Conditions, v1alpha1.ConditionRegistered) != nil {
		w.AddStored(server) // from an earlier release
	} else {
		w.Add(server)
	}
	w.Add(domain, controllertest.NewSecret(controllertest.Namespace, "admin", nil, map[string]string{"adminToken": w.Takaro.AdminToken()}),
		controllertest.NewSecret(controllertest.Namespace, "arena-registration-token", nil,
			map[string]string{"token": planted.RegistrationToken}),
		controllertest.NewSecret(controllertest.System, "redis", map[string]string{RedisLabel: "true"}, map[string]string{"host": host,
			"port": strconv.Itoa(port), "username": "default", "password": shared.Password}))
	w.r = w.controller(w.Store)
	return w
}

// hold sets the status of a Domain that holds a Takaro domain.
func hold(domain *v1alpha1.Domain, id string) {
	domain.Status.DomainID = id
	domain.Status.Ownership = &ownership.Status{Records: []ownership.Record{
		{Kind: "Domain", ID: id, Key: "roadstead:test:arena", State: ownership.Held, Origin: ownership.Created}}}
}

// clearRedis removes what another test left: all tests use the same MockServer.
func clearRedis(t *testing.T) {
	t.Helper()
	admin := shared.Client()
	defer func() { _ = admin.Close() }()
	require.NoError(t, admin.FlushAll(t.Context()).Err())
	require.NoError(t, admin.ACLDelUser(t.Context(), aclUser(markOf(named(string(testUID), "game")))).Err())
}

// controller returns a new controller, as after a restart of the process.
func (w *world) controller(api client.WithWatch) *reconciler {
	w.T.Helper()
	of := w.Parts(api)
	keeper := takaroendpoint.New(takaroendpoint.Config{Namespace: controllertest.System, Installation: "test", Clock: w.Clock})
	return &reconciler{
		Parts: parts.New(parts.Shared{
			Secrets: of.Secrets, Protector: of.Protector, Endpoints: of.Endpoints, Pool: of.Pool, Keeper: keeper,
		}, problem.NewReporter(statusKind, api, w.Recorder), api, w.Clock),
		redis: newRedisAccess(w.Clock, controllertest.Dial, anyPort, controllertest.System), roster: newRoster(w.Clock),
		limit: newRestartLimit(w.Clock), silences: newSilences(w.Clock), absences: &absence.Tracker[string]{},
		restarts: newRestarts(w.Clock, DefaultUnreachableAfter), conflicts: newConflicts(w.Clock), foreign: newForeignIDs(),
		image: DefaultImage,
	}
}

// settle runs the world's controller until nothing is left to do, and calls play between two runs.
func (w *world) settle(play func()) {
	w.T.Helper()
	w.Settle(w.r, play)
}

// play simulates the StatefulSet controller and the kubelet: the wanted pods run, other pods are
// deleted, and those with the given ordinals register.
func (w *world) play(registering ...int) func() {
	return func() {
		w.T.Helper()
		set, err := w.set()
		if err != nil {
			require.NoError(w.T, client.IgnoreNotFound(err))
			require.NoError(w.T, w.Store.DeleteAllOf(w.T.Context(), &corev1.Pod{}, client.InNamespace(controllertest.Namespace)))
			return
		}
		wanted := int(*set.Spec.Replicas)
		for ordinal := range max(wanted, 5) {
			w.playPod(set, ordinal, ordinal < wanted)
		}
		set.Status.Replicas, set.Status.ReadyReplicas, set.Status.UpdatedReplicas = *set.Spec.Replicas, *set.Spec.Replicas, *set.Spec.Replicas
		require.NoError(w.T, w.Store.Status().Update(w.T.Context(), set))
		for _, ordinal := range registering {
			if ordinal < wanted {
				_, _ = w.Takaro.ConnectGameServer(w.domainID, identity(w.Object(), ordinal)) // Takaro rejects it at the limit
			}
		}
	}
}

// set returns the StatefulSet.
func (w *world) set() (*appsv1.StatefulSet, error) {
	set := &appsv1.StatefulSet{}
	return set, w.Store.Get(w.T.Context(), w.Request().NamespacedName, set)
}

func (w *world) playPod(set *appsv1.StatefulSet, ordinal int, wanted bool) {
	w.T.Helper()
	name := types.NamespacedName{Namespace: set.Namespace, Name: fmt.Sprintf("%s-%d", set.Name, ordinal)}
	made := &corev1.Pod{}
	err := w.Store.Get(w.T.Context(), name, made)
	switch {
	case err == nil && !wanted:
		require.NoError(w.T, w.Store.Delete(w.T.Context(), made))
	case err != nil && wanted:
		w.pods++
		started := metav1.NewTime(w.Clock.Now())
		running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}
		w.Add(&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: name.Namespace, Name: name.Name, UID: types.UID(fmt.Sprintf("pod-%d", w.pods)), CreationTimestamp: started,
				Labels:          set.Spec.Template.Labels,
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))},
			},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: containerName, State: running}}},
		})
		w.save(set, ordinal)
	}
}

// save does in Redis what the mock server does when it starts: it saves its simulation unless one
// is saved.
func (w *world) save(set *appsv1.StatefulSet, ordinal int) {
	w.T.Helper()
	server := w.Object()
	pod := shared.ClientAs(aclUser(markOf(server)), string(w.Secret(secretName(server)).Data[redisKey]))
	defer func() { _ = pod.Close() }()
	saved := savedSimulation(server, ordinal)
	err := pod.Get(w.T.Context(), saved).Err()
	if errors.Is(err, goredis.Nil) {
		err = pod.Set(w.T.Context(), saved, set.Annotations[simulationAnnotation], 0).Err()
	}
	require.NoError(w.T, err)
}

func savedSimulation(server *v1alpha1.MockServer, ordinal int) string {
	return "gameserver:" + identity(server, ordinal) + ":simulation:config"
}

// change updates the spec as the API server would.
func (w *world) change(do func(*v1alpha1.MockServerSpec)) {
	w.T.Helper()
	w.Edit(func(server *v1alpha1.MockServer) { do(&server.Spec) })
}

// takaro returns a client of Takaro that acts as a user.
func (w *world) takaro() *takaro.Client {
	w.T.Helper()
	made, err := w.r.Pool.Client(takaro.Endpoint{URL: w.Front.URL, AdminToken: takaro.NewSecret(w.Takaro.AdminToken())})
	require.NoError(w.T, err)
	return made
}

// names returns the names of the game servers in Takaro.
func (w *world) names() []string {
	w.T.Helper()
	domain, _ := w.Takaro.Domain(w.domainID)
	names := []string{}
	for _, server := range domain.GameServers {
		names = append(names, server.Name)
	}
	return names
}
