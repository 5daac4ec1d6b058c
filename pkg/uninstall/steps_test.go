// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

func hostname(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	require.NoError(t, err)
	return name
}

func TestFinalizersOfOthers(t *testing.T) {
	assert.Equal(t, []string{"orphan", "example.com/roadstead.dev", "notroadstead.dev/x"}, foreignFinalizers([]string{
		"orphan", "roadstead.dev/in-use", "example.com/roadstead.dev", "takaro.roadstead.dev/domain", "notroadstead.dev/x",
	}))
}

func TestASecretThatSomebodyElseChangesToo(t *testing.T) {
	w := newWorld(t, refuse, installed()...)
	w.conflicts = 3
	require.NoError(t, w.run.releaseSecrets(t.Context(), true))
	assert.Contains(t, w.out.String(), "taken off 1 Secret.")
	w = newWorld(t, refuse, installed()...)
	w.conflicts = rounds
	assert.ErrorContains(t, w.run.releaseSecrets(t.Context(), true), "a Secret is changed by somebody else all the time")
}

func TestOnlyOwnersOfOursAreTakenOff(t *testing.T) {
	other := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "1"}
	ours := metav1.OwnerReference{APIVersion: "takaro.roadstead.dev/v1alpha1", Kind: "MockServer", Name: "busy", UID: "2"}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "busy",
		OwnerReferences: []metav1.OwnerReference{ours, other}}}
	w := newWorld(t, orphan, set)
	require.NoError(t, w.run.disown(t.Context(), dependentKinds[1]))
	require.True(t, w.has(set, "demo", "busy"))
	assert.Equal(t, []metav1.OwnerReference{other}, set.OwnerReferences)
	w.writes = nil
	require.NoError(t, w.run.disown(t.Context(), dependentKinds[1]))
	assert.Empty(t, w.writes)
}

func TestOwnersGoFirst(t *testing.T) {
	user, owner, free := object{name: "user", uid: "1", owners: []types.UID{"2"}}, object{name: "owner", uid: "2"}, object{name: "free",
		uid: "3", owners: []types.UID{"elsewhere"}}
	assert.Equal(t, []object{owner, free, user}, ownersFirst([]object{user, owner, free}))
}

func TestWhatIsLeftInTimeIsTold(t *testing.T) {
	blocked := domain("arena", "takaro.roadstead.dev/domain")
	blocked.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: "DeletionBlocked",
		Message: "Takaro is away", LastTransitionTime: metav1.Now()}}
	w := newWorld(t, deleteAll, append(installed(), blocked, domain("quick"))...)
	err := w.run.run(t.Context())
	require.ErrorContains(t, err, "after 200ms 1 object is still there: 1 Domain")
	assert.Equal(t, []string{"delete Domain demo/arena", "delete Domain demo/quick"}, w.writes, "each once, and nothing was removed yet")
	said := w.out.String()
	assert.Contains(t, said, "Waiting for the end of 2 Domains.\n")
	assert.Equal(t, 2, strings.Count(said, "  domains.takaro.roadstead.dev demo/arena DeletionBlocked: Takaro is away\n"),
		"once when it changed, once at the end: %s", said)
}

func TestOrphaningTakesFinalizersOffAndWaitsForTheCollector(t *testing.T) {
	w := newWorld(t, orphan, append(installed(), domain("arena", "takaro.roadstead.dev/domain"), domain("held", "example.com/own"))...)
	err := w.run.run(t.Context())
	require.ErrorContains(t, err, "1 object is still there: 1 Domain")
	assert.Contains(t, w.out.String(),
		"demo/held is being deleted, and its condition Ready says nothing about it. Finalizers: example.com/own")
	assert.False(t, w.has(&takarov1alpha1.Domain{}, "demo", "arena"))
	assert.Equal(t, "patch Deployment roadstead-system/roadstead-controller", w.writes[0])
	lease, err := w.run.leases.Leases(system).Get(t.Context(), controller, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Empty(t, ptr.Deref(lease.Spec.HolderIdentity, ""), "it was let go")
}

func TestAControllerThatWorksIsNotWorkedAgainst(t *testing.T) {
	w := newWorld(t, orphan)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: controller}, Spec: coordinationv1.LeaseSpec{
		HolderIdentity: ptr.To("laptop"), LeaseDurationSeconds: ptr.To(int32(2)), AcquireTime: ptr.To(metav1.NowMicro()),
		RenewTime: ptr.To(metav1.NowMicro()),
	}}
	w.run.leases = kubernetesfake.NewClientset(lease).CoordinationV1()
	_, _, err := w.run.hold(t.Context(), 50*time.Millisecond)
	require.ErrorContains(t, err, "a controller works: laptop holds the Lease roadstead-system/roadstead-controller")

	// A controller that was killed does not renew the Lease.
	held, release, err := w.run.hold(t.Context(), 20*time.Second)
	require.NoError(t, err)
	require.NoError(t, held.Err())
	release()
	release()
	<-held.Done()
}

func TestWhereAServerKeepsItsObjects(t *testing.T) {
	for name, c := range map[string]struct {
		container corev1.Container
		want      storePlace
	}{
		"no flag":        {corev1.Container{Args: []string{"--data-dir=/data"}}, embedded},
		"by name":        {corev1.Container{Args: []string{"--etcd-servers=embedded"}}, embedded},
		"addresses":      {corev1.Container{Args: []string{"--etcd-servers=https://etcd:2379"}}, external},
		"two arguments":  {corev1.Container{Args: []string{"--etcd-servers", "https://etcd:2379"}}, external},
		"a variable":     {corev1.Container{Env: []corev1.EnvVar{{Name: "ROADSTEAD_ETCD_SERVERS", Value: "https://etcd:2379"}}}, external},
		"from an object": {corev1.Container{Env: []corev1.EnvVar{{Name: "ROADSTEAD_ETCD_SERVERS", ValueFrom: &corev1.EnvVarSource{}}}}, external},
	} {
		assert.Equal(t, c.want, placeOf(&corev1.PodSpec{Containers: []corev1.Container{c.container}}), name)
	}
}

func TestKindsAreFoundAndNotNamed(t *testing.T) {
	w := newWorld(t, refuse, installed()...)
	found, err := w.run.survey(t.Context())
	require.NoError(t, err)
	var names []string
	for _, kind := range found.kinds {
		names = append(names, kind.groupResource())
	}
	assert.Equal(t, []string{"domains.takaro.roadstead.dev", "users.takaro.roadstead.dev", "takaroendpoints.takaro.roadstead.dev"}, names,
		"what is stored, and no subresource")
	assert.Equal(t, embedded, found.workload)
	assert.Equal(t, []string{"uid-roadstead-apiserver"}, found.workloads)
	assert.True(t, found.volumes && found.record)

	w.run.discovery = served{}
	found, err = w.run.survey(t.Context())
	require.NoError(t, err)
	assert.ErrorContains(t, found.unanswered, "nobody serves takaro.roadstead.dev/v1alpha1")
	assert.Contains(t, w.out.String(), "The server does not answer; waiting up to 200ms")
}

func TestSurvey_ReadsInventory(t *testing.T) {
	answer := func(header storeidentity.InventoryHeader, err error, objects ...storeidentity.InventoryObject) *world {
		w := newWorld(t, refuse, installed()...)
		w.run.inventory = func(_ context.Context, each func(storeidentity.InventoryObject) error) (storeidentity.InventoryHeader, error) {
			for _, one := range objects {
				require.NoError(t, each(one))
			}
			return header, err
		}
		return w
	}
	refused := storeidentity.InventoryHeader{State: "StoreEmpty"}
	serving := storeidentity.InventoryHeader{State: storeidentity.StateServing}
	unserved := storeidentity.InventoryObject{Group: "takaro.roadstead.dev", Resource: "olds", Namespace: "demo", Name: "a", UID: "u"}
	unreadable := storeidentity.InventoryObject{Group: "takaro.roadstead.dev", Resource: "domains", Name: "b", Error: "no seed"}
	for name, c := range map[string]struct {
		world *world
		says  string
	}{
		"a store that is refused, and empty": {answer(refused, nil), "it refuses its store: state StoreEmpty"},
		"an answer that was cut off":         {answer(serving, storeidentity.ErrInventoryIncomplete), "the inventory of the store is incomplete"},
		"objects that the API does not list": {answer(serving, nil, unserved, unreadable), "2 objects of users"},
	} {
		err := c.world.run.run(t.Context())
		require.ErrorContains(t, err, c.says, name)
		assert.Empty(t, c.world.writes, name)
	}
	record := storeidentity.InventoryObject{Group: "release.roadstead.dev", Resource: "approvals", Name: "a", UID: "u"}
	require.NoError(t, answer(serving, nil, record).run.run(t.Context()), "records keep nobody from uninstalling")
	forbidden := answer(serving, apierrors.NewForbidden(corev1.Resource("storeinventories"), "", nil))
	begin := time.Now()
	require.True(t, apierrors.IsForbidden(forbidden.run.run(t.Context())))
	assert.Less(t, time.Since(begin), forbidden.run.timeout, "a missing right is not waited for")
}

func TestManyObjectsAreCountedAndTheFirstAreNamed(t *testing.T) {
	var all []object
	for i := range 45 {
		all = append(all, object{kind: kind{resource: "domains"}, namespace: "n" + string(rune('a'+i%26)), name: "d"})
	}
	assert.Equal(t, shown+1, len(strings.Split(listed(all), "\n")))
	assert.Contains(t, listed(all), "  and 25 more")
	assert.Contains(t, where(all), " in 26 namespaces: na, nb, ")
	assert.True(t, strings.HasSuffix(where(all), ", …"))
	assert.Empty(t, where([]object{{name: "of the cluster"}}))
	held := object{name: "arena", deleting: true, finalizers: []string{"takaro.roadstead.dev/domain"}}
	assert.Contains(t, listed([]object{held}), "Finalizers: takaro.roadstead.dev/domain; does roadstead-controller run")
}

func TestTroubleIsToldOnce(t *testing.T) {
	var out strings.Builder
	told := &progress{say: func(format string, args ...any) { out.WriteString(args[0].(string)) }}
	told.trouble(errors.New("away;"))
	told.trouble(errors.New("away;"))
	assert.Equal(t, "away;", out.String())
}
