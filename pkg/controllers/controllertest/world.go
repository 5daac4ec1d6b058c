// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
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

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const (
	// Namespace is the namespace of the objects of a world.
	Namespace = "team"
	// System is the installation's namespace.
	System = "roadstead-system"
)

// Kind describes the kind under test.
type Kind[T client.Object] struct {
	// Name is the name of the object under test, in Namespace.
	Name string
	// New returns an empty object.
	New func() T
	// Conditions returns the conditions of an object.
	Conditions func(T) []metav1.Condition
	// Indexes are the cache indexes of the kind that the controller uses.
	Indexes map[string]client.IndexerFunc
	// DomainIndexes are the cache indexes of Domains that the controller uses.
	DomainIndexes map[string]client.IndexerFunc
}

// World contains the state that outlives a controller: the stored objects, Takaro, and the time.
type World[T client.Object] struct {
	T      *testing.T
	Store  client.WithWatch
	Takaro *standin.Server
	// Front is the server at which controllers reach Takaro. Their requests are passed to Through.
	Front   *httptest.Server
	Through func(http.ResponseWriter, *http.Request)
	Clock   *testingclock.FakeClock
	// SecretNamespaces are the namespaces in which the next controller may use Secrets. Empty means
	// all.
	SecretNamespaces []string
	// Recorder receives the events of all controllers; see Events.
	Recorder *events.FakeRecorder

	kind  Kind[T]
	redis *redisFront
}

// kinds is created only once, because that takes longer than an entire test.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	made := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(made))
	utilruntime.Must(appsv1.AddToScheme(made))
	utilruntime.Must(v1alpha1.AddToScheme(made))
	return made
})

// New returns a world without objects. It is closed at the end of the test.
func New[T client.Object](t *testing.T, kind Kind[T]) *World[T] {
	t.Helper()
	w := &World[T]{T: t, kind: kind, Clock: testingclock.NewFakeClock(time.Now()), Takaro: standin.New(standin.Options{}),
		Recorder: events.NewFakeRecorder(1000)}
	w.Through = w.Takaro.ServeHTTP
	w.Front = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) { w.Through(out, in) }))
	t.Cleanup(w.Front.Close)
	build := fake.NewClientBuilder().WithScheme(kinds()).
		WithStatusSubresource(&v1alpha1.Domain{}, &v1alpha1.User{}, &v1alpha1.MockServer{}, &v1alpha1.TakaroEndpoint{}, &appsv1.StatefulSet{})
	for field, values := range kind.Indexes {
		build = build.WithIndex(kind.New(), field, values)
	}
	for field, values := range kind.DomainIndexes {
		build = build.WithIndex(&v1alpha1.Domain{}, field, values)
	}
	w.Store = build.Build()
	return w
}

// NewSecret returns a Secret that is not stored yet.
func NewSecret(namespace, name string, labels, data map[string]string) *corev1.Secret {
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}, Data: map[string][]byte{}}
	for key, value := range data {
		made.Data[key] = []byte(value)
	}
	return made
}

// Request returns the request for the object under test.
func (w *World[T]) Request() reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: Namespace, Name: w.kind.Name}}
}

// Add stores objects, with an empty ledger where the API server would set one.
func (w *World[T]) Add(objects ...client.Object) {
	w.T.Helper()
	for _, object := range objects {
		switch object := object.(type) {
		case *v1alpha1.Domain:
			object.Status.Ownership = cmp.Or(object.Status.Ownership, &ownership.Status{})
		case *v1alpha1.User:
			object.Status.Ownership = cmp.Or(object.Status.Ownership, &ownership.Status{})
		case *v1alpha1.MockServer:
			object.Status.Ownership = cmp.Or(object.Status.Ownership, &ownership.Status{})
		}
	}
	w.AddStored(objects...)
}

// AddStored stores objects unchanged. Objects without status.ownership were stored by an earlier
// release.
func (w *World[T]) AddStored(objects ...client.Object) {
	w.T.Helper()
	for _, object := range objects {
		require.NoError(w.T, w.Store.Create(w.T.Context(), object))
	}
}

// Object returns the object under test, or nil if it does not exist.
func (w *World[T]) Object() (none T) {
	w.T.Helper()
	found := w.kind.New()
	if err := w.Store.Get(w.T.Context(), w.Request().NamespacedName, found); err != nil {
		require.NoError(w.T, client.IgnoreNotFound(err))
		return none
	}
	return found
}

// Edit changes the spec of the object under test as a user would through the API server.
func (w *World[T]) Edit(change func(T)) {
	w.T.Helper()
	object := w.Object()
	change(object)
	object.SetGeneration(object.GetGeneration() + 1)
	require.NoError(w.T, w.Store.Update(w.T.Context(), object))
}

// Delete requests the deletion of the object under test. A finalizer may block it.
func (w *World[T]) Delete() {
	w.T.Helper()
	object := w.kind.New()
	object.SetNamespace(Namespace)
	object.SetName(w.kind.Name)
	require.NoError(w.T, client.IgnoreNotFound(w.Store.Delete(context.Background(), object)))
}

// Secret returns a stored Secret of Namespace.
func (w *World[T]) Secret(name string) *corev1.Secret {
	w.T.Helper()
	found := &corev1.Secret{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), types.NamespacedName{Namespace: Namespace, Name: name}, found))
	return found
}

// Condition returns status and reason of a condition of the object under test, for example "True
// AsSpecified".
func (w *World[T]) Condition(kind string) string {
	w.T.Helper()
	found := meta.FindStatusCondition(w.kind.Conditions(w.Object()), kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}

// Message returns the message of a condition of the object under test.
func (w *World[T]) Message(kind string) string {
	w.T.Helper()
	found := meta.FindStatusCondition(w.kind.Conditions(w.Object()), kind)
	require.NotNil(w.T, found)
	return found.Message
}

// Events returns the events since the last call, each as "type reason text".
func (w *World[T]) Events() []string {
	var all []string
	for {
		select {
		case text := <-w.Recorder.Events:
			all = append(all, text)
		default:
			return all
		}
	}
}

// Told returns the number of events for each reason since the last call of Told or Events.
func (w *World[T]) Told() map[string]int {
	told := map[string]int{}
	for _, text := range w.Events() {
		told[strings.Fields(text)[1]]++
	}
	return told
}
