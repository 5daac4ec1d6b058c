// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/storeidentity"
)

const (
	testSystem  = "roadstead-system"
	testCluster = types.UID("this cluster")
)

// world is a cluster with an orphan and an object whose namespace lives.
type world struct {
	*sweeper
	t     *testing.T
	store client.WithWatch
	clock *testingclock.FakeClock
	// looking, when set, is the answer to every look at a namespace.
	looking error
	told    *events.FakeRecorder
}

func newWorld(t *testing.T, allowed int) *world {
	t.Helper()
	kinds := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(kinds))
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	w := &world{t: t, clock: testingclock.NewFakeClock(begin), told: events.NewFakeRecorder(1000)}
	w.store = fake.NewClientBuilder().WithScheme(kinds).WithObjects(
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, UID: testCluster}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "there"}},
		record(testCluster), domainIn("there"), domainIn("gone"),
		&v1alpha1.User{ObjectMeta: metav1.ObjectMeta{Namespace: "gone", Name: "ann", UID: "ann"}},
	).Build()
	live := interceptor.NewClient(w.store, interceptor.Funcs{Get: func(ctx context.Context, store client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
		if _, isNamespace := object.(*corev1.Namespace); isNamespace && w.looking != nil {
			return w.looking
		}
		return store.Get(ctx, key, object, options...)
	}})
	// The fake store does not look at the UID that a deletion is meant for.
	writer := interceptor.NewClient(w.store, interceptor.Funcs{Delete: func(ctx context.Context, store client.WithWatch, object client.Object, options ...client.DeleteOption) error {
		meant := (&client.DeleteOptions{}).ApplyOptions(options).Preconditions
		found := &metav1.PartialObjectMetadata{TypeMeta: object.(*metav1.PartialObjectMetadata).TypeMeta}
		if err := store.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
			return err
		}
		if meant == nil || meant.UID == nil || *meant.UID != found.UID {
			return apierrors.NewConflict(v1alpha1.Resource("domains"), found.Name, errors.New("another UID"))
		}
		return store.Delete(ctx, object, options...)
	}})
	w.sweeper = &sweeper{
		policy: policy{wait: time.Minute, allowed: allowed}, namespace: testSystem,
		kinds:  []client.ObjectList{&v1alpha1.DomainList{}, &v1alpha1.MockServerList{}, &v1alpha1.UserList{}},
		cached: w.store, live: live, writer: writer, recorder: w.told, clock: w.clock, log: logr.Discard(),
	}
	return w
}

func record(cluster types.UID) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: testSystem, Name: storeidentity.ConfigMapName},
		Data: storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: "a store", Epoch: 1}, EtcdClusterID: "e", ClusterUID: cluster}.Data()}
}

func domainIn(namespace string) *v1alpha1.Domain {
	return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "arena", UID: types.UID("arena in " + namespace)}}
}

// after runs one more round, later.
func (w *world) after(pause time.Duration) {
	w.t.Helper()
	w.clock.Step(pause)
	w.round(w.t.Context())
}

// left are the objects that nobody deletes.
func (w *world) left() []string {
	w.t.Helper()
	found, _, err := w.find(w.t.Context())
	require.NoError(w.t, err)
	var left []string
	for namespace, objects := range found {
		for _, object := range objects {
			left = append(left, namespace+"/"+object.Name)
		}
	}
	return left
}

func held(reason string) float64 { return testutil.ToFloat64(heldNamespaces.WithLabelValues(reason)) }

func TestOrphansGoAtTheSecondLook(t *testing.T) {
	w := newWorld(t, 0)
	before := testutil.ToFloat64(deleted.WithLabelValues("User"))
	w.after(0)
	w.after(59 * time.Second)
	assert.Len(t, w.left(), 3, "not yet")
	w.after(time.Second)
	assert.Equal(t, []string{"there/arena"}, w.left())
	assert.InDelta(t, before+1, testutil.ToFloat64(deleted.WithLabelValues("User")), 0)
	require.Len(t, w.told.Events, 2)
	assert.Contains(t, <-w.told.Events, "OrphanDeleted Domain gone/arena was deleted")
	w.after(time.Minute)
	assert.Equal(t, []string{"there/arena"}, w.left())
	assert.Empty(t, w.firstAbsent, "what holds nothing any more is forgotten")
}

func TestARestartBeginsTheWaitAnew(t *testing.T) {
	w := newWorld(t, 0)
	w.after(0)
	w.firstAbsent = nil
	w.after(time.Hour)
	assert.Len(t, w.left(), 3)
}

func TestALookThatFailsIsNoEvidence(t *testing.T) {
	w := newWorld(t, 0)
	w.looking = errors.New("no answer")
	for range 3 {
		w.after(time.Hour)
	}
	assert.Len(t, w.left(), 3)
	w.looking = nil
	w.after(time.Hour)
	assert.Len(t, w.left(), 3, "the first look that counts")
}

func TestANamespaceThatComesBackJustInTimeIsSpared(t *testing.T) {
	w := newWorld(t, 0)
	w.after(0)
	objects, _, err := w.find(t.Context())
	require.NoError(t, err)
	require.NoError(t, w.store.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}))
	w.sweep(t.Context(), "gone", objects["gone"])
	assert.Len(t, w.left(), 3)
	w.after(time.Hour)
	assert.Len(t, w.left(), 3)
	assert.Empty(t, w.firstAbsent)
}

func TestAnObjectThatWasMadeAnewIsSpared(t *testing.T) {
	w := newWorld(t, 0)
	objects, _, err := w.find(t.Context())
	require.NoError(t, err)
	old := domainIn("gone")
	require.NoError(t, w.store.Delete(t.Context(), old))
	anew := domainIn("gone")
	anew.UID = "another"
	require.NoError(t, w.store.Create(t.Context(), anew))
	w.sweep(t.Context(), "gone", objects["gone"])
	assert.Contains(t, w.left(), "gone/arena")
}

func TestNothingIsDeletedWithoutAFittingRecord(t *testing.T) {
	broken := record(testCluster)
	broken.Data = nil
	for name, found := range map[string]*corev1.ConfigMap{"missing": nil, "another cluster": record("another cluster"), "unreadable": broken} {
		w := newWorld(t, 0)
		require.NoError(t, w.store.Delete(t.Context(), record(testCluster)))
		if found != nil {
			require.NoError(t, w.store.Create(t.Context(), found))
		}
		w.after(0)
		assert.Zero(t, held(heldStoreIdentity), name)
		w.after(time.Hour)
		assert.Len(t, w.left(), 3, name)
		assert.InDelta(t, 1, held(heldStoreIdentity), 0, name)
		if found != nil {
			require.NoError(t, w.store.Delete(t.Context(), found))
		}
		require.NoError(t, w.store.Create(t.Context(), record(testCluster)))
		w.after(time.Hour)
		assert.Len(t, w.left(), 1, name)
		assert.Zero(t, held(heldStoreIdentity), name)
	}
}

func TestTooManyAreHeldUntilTheyAreAllowed(t *testing.T) {
	for allowed, left := range map[int]int{0: 18, 15: 18, 16: 1} {
		w := newWorld(t, allowed)
		for i := range 15 {
			require.NoError(t, w.store.Create(t.Context(), domainIn(fmt.Sprintf("n%d", i))))
		}
		w.after(0)
		w.after(time.Hour)
		assert.Len(t, w.left(), left)
		if left == 1 {
			assert.Zero(t, held(heldMassDeletion))
			continue
		}
		assert.InDelta(t, 16, held(heldMassDeletion), 0)
		said := <-w.told.Events
		assert.True(t, strings.HasPrefix(said, "Warning MassDeletionHeld 16 namespaces"), said)
		assert.Contains(t, said, "--allow-mass-sweep=16")
	}
}

func TestWhatIsBeingDeletedIsLeftToItsController(t *testing.T) {
	w := newWorld(t, 0)
	going := domainIn("elsewhere")
	going.Finalizers = []string{"test/holds"}
	require.NoError(t, w.store.Create(t.Context(), going))
	require.NoError(t, w.store.Delete(t.Context(), going))
	found, holding, err := w.find(t.Context())
	require.NoError(t, err)
	assert.NotContains(t, found, "elsewhere")
	assert.Equal(t, 3, holding)
}

func TestItRunsOnlyWhileLeadingAndEndsWithItsContext(t *testing.T) {
	w := newWorld(t, 0)
	assert.True(t, w.NeedLeaderElection())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.NoError(t, w.Start(ctx))
}
