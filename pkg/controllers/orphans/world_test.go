// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const (
	testSystem  = "roadstead-system"
	testCluster = types.UID("this cluster")
)

// world is a cluster with an orphan and an object whose namespace exists.
type world struct {
	*sweeper
	t     *testing.T
	store client.WithWatch
	clock *testingclock.FakeClock
	// looking, if set, is the result of every live read of a namespace.
	looking error
	// writing, if set, is the result of every patch.
	writing error
	told    *events.FakeRecorder
}

// informers returns the same informer for all types.
type informers struct {
	cache.Informers
	*controllertest.FakeInformer
}

func (i informers) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return i.FakeInformer, nil
}

// newWorld returns a world in which this process observed the deletion of the namespaces.
func newWorld(t *testing.T, ended ...string) *world {
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
	live := interceptor.NewClient(w.store, interceptor.Funcs{Get: func(
		ctx context.Context, store client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption,
	) error {
		if _, isNamespace := object.(*corev1.Namespace); isNamespace && w.looking != nil {
			return w.looking
		}
		return store.Get(ctx, key, object, options...)
	}})
	// The fake client does not check the UID precondition of a deletion.
	writer := interceptor.NewClient(w.store, interceptor.Funcs{Delete: func(
		ctx context.Context, store client.WithWatch, object client.Object, options ...client.DeleteOption,
	) error {
		meant := (&client.DeleteOptions{}).ApplyOptions(options).Preconditions
		found := &metav1.PartialObjectMetadata{TypeMeta: object.(*metav1.PartialObjectMetadata).TypeMeta}
		if err := store.Get(ctx, client.ObjectKeyFromObject(object), found); err != nil {
			return err
		}
		if meant == nil || meant.UID == nil || *meant.UID != found.UID {
			return apierrors.NewConflict(v1alpha1.Resource("domains"), found.Name, errors.New("another UID"))
		}
		return store.Delete(ctx, object, options...)
	}, Patch: func(ctx context.Context, store client.WithWatch, object client.Object, patch client.Patch,
		options ...client.PatchOption) error {
		if w.writing != nil {
			return w.writing
		}
		return store.Patch(ctx, object, patch, options...)
	}})
	w.sweeper = &sweeper{
		wait: time.Minute, namespace: testSystem, namespaces: NewNamespaces(live, w.clock),
		kinds:  []client.ObjectList{&v1alpha1.DomainList{}, &v1alpha1.MockServerList{}, &v1alpha1.UserList{}},
		cached: w.store, informers: informers{FakeInformer: controllertest.NewFakeInformer(controllertest.Synced)}, writer: writer,
		recorder: w.told, clock: w.clock, log: logr.Discard(),
	}
	w.saw(ended...)
	return w
}

// saw lets this process observe the deletion of namespaces.
func (w *world) saw(names ...string) {
	for _, name := range names {
		w.namespaces.OnDelete(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, DeletionTimestamp: ptr.To(metav1.Now())}})
	}
}

// restarted replaces the process by one without observations.
func (w *world) restarted() {
	w.namespaces = NewNamespaces(w.namespaces.Reader, w.clock)
	w.firstAbsent, w.clean, w.announced = nil, false, ""
}

func record(cluster types.UID) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: testSystem, Name: storeidentity.ConfigMapName},
		Data: storeidentity.Record{Anchor: storeidentity.Anchor{StoreID: "a store", Epoch: 1}, EtcdClusterID: "e", ClusterUID: cluster}.Data()}
}

func domainIn(namespace string) *v1alpha1.Domain {
	return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "arena", UID: types.UID("arena in " + namespace)}}
}

// after runs one more round after the given time.
func (w *world) after(pause time.Duration) {
	w.t.Helper()
	w.clock.Step(pause)
	w.round(w.t.Context())
}

// left returns the objects that are not being deleted.
func (w *world) left() []string {
	w.t.Helper()
	found, err := w.find(w.t.Context())
	require.NoError(w.t, err)
	var left []string
	for namespace, objects := range found {
		for _, object := range objects {
			left = append(left, namespace+"/"+object.Name)
		}
	}
	return left
}

// held returns the value of the metric for one of the holds.
func held(t *testing.T, name string) (count float64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, one := range family.GetMetric() {
			if family.GetName() == "roadstead_held" && one.GetLabel()[0].GetValue() == name && one.GetLabel()[1].GetValue() == "installation" {
				count = one.GetGauge().GetValue()
			}
		}
	}
	return count
}

// annotate sets the release of the record.
func (w *world) annotate(release string) {
	w.t.Helper()
	source := w.stored()
	if source.Annotations == nil {
		source.Annotations = map[string]string{}
	}
	source.Annotations[hold.ReleaseAnnotation] = release
	require.NoError(w.t, w.store.Update(w.t.Context(), source))
}

// stored returns the record.
func (w *world) stored() *corev1.ConfigMap {
	w.t.Helper()
	source := w.recordReference()
	require.NoError(w.t, w.store.Get(w.t.Context(), client.ObjectKeyFromObject(source), source))
	return source
}

// said returns the events since the last call.
func (w *world) said() string {
	var all []string
	for len(w.told.Events) > 0 {
		all = append(all, <-w.told.Events)
	}
	return strings.Join(all, "\n")
}
