// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/fakes/privateca"
)

var kinds = func() *runtime.Scheme {
	made := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(made))
	utilruntime.Must(v1alpha1.AddToScheme(made))
	return made
}()

const name = "widgets"

// world is what outlives a controller: the stored objects, the chart repository, and the time.
type world struct {
	*testing.T
	store    client.WithWatch
	repo     *chartrepo.Repository
	charts   *repository.Client
	clock    *clocktesting.FakeClock
	recorder *events.FakeRecorder
	// refuse is what the API server says to a new OperatorVersion.
	refuse func(*v1alpha1.OperatorVersion) error
}

func newWorld(t *testing.T, change ...func(*v1alpha1.Operator)) *world {
	t.Helper()
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	repo, err := chartrepo.NewRepository(serving)
	require.NoError(t, err)
	t.Cleanup(func() { _ = repo.Close() })
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	w := &world{T: t, repo: repo, clock: clocktesting.NewFakeClock(time.Now()), recorder: events.NewFakeRecorder(1000)}
	w.charts = repository.New(repository.Options{RootCAs: roots, Dial: netguard.Policy{AllowLoopback: true}, IndexLife: time.Nanosecond})
	t.Cleanup(w.charts.Close)
	w.refuse = func(*v1alpha1.OperatorVersion) error { return nil }
	build := fake.NewClientBuilder().WithScheme(kinds).WithStatusSubresource(&v1alpha1.Operator{},
		&v1alpha1.OperatorVersion{}, &v1alpha1.CRDSchema{})
	for _, index := range chartsource.Indexes() {
		build = build.WithIndex(index.Object, index.Name, index.Extract)
	}
	w.store = interceptor.NewClient(build.Build(), interceptor.Funcs{
		Create: func(ctx context.Context, real client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if version, ok := object.(*v1alpha1.OperatorVersion); ok {
				if err := w.refuse(version); err != nil {
					return err
				}
				version.UID = types.UID("uid-" + version.Name)
			}
			return real.Create(ctx, object, options...)
		},
	})
	operator := &v1alpha1.Operator{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: "operator", Generation: 1},
		Spec:       v1alpha1.OperatorSpec{Chart: v1alpha1.OperatorChart{Repository: repo.URL(), Name: "widgets"}, Namespace: "widgets"},
	}
	for _, one := range change {
		one(operator)
	}
	w.add(operator)
	w.serve("1.0.0", "1.1.0", "2.0.0")
	return w
}

func (w *world) add(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		require.NoError(w, w.store.Create(w.Context(), object))
	}
}

func (w *world) serve(versions ...string) {
	w.Helper()
	for _, version := range versions {
		_, err := w.repo.Add(chartrepo.Chart{Name: "widgets", Version: version})
		require.NoError(w, err)
	}
}

// version adds a version as the controller creates it.
func (w *world) version(number string) {
	w.versionOf(number, []metav1.OwnerReference{*metav1.NewControllerRef(w.get(), v1alpha1.SchemeGroupVersion.WithKind("Operator"))})
}

// versionOf adds a version with owners; a user creates it without one.
func (w *world) versionOf(number string, owners []metav1.OwnerReference) {
	w.add(&v1alpha1.OperatorVersion{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-" + number, OwnerReferences: owners},
		Spec:       v1alpha1.OperatorVersionSpec{OperatorRef: v1alpha1.LocalObjectReference{Name: name}, Version: number},
	})
}

// controller is a new one, which knows nothing.
func (w *world) controller() *reconciler {
	return &reconciler{
		Reporter: base.Reporter[*v1alpha1.Operator]{Kind: statusKind, Client: w.store, Recorder: w.recorder},
		live:     w.store, source: chartsource.Source{Secrets: secrets.NewReader(w.store, w.store)}, charts: w.charts,
		schemas: schemas.NewReader(w.store, w.store), checks: newChecks(w.clock, 10*time.Minute),
	}
}

func (w *world) once(r *reconciler) reconcile.Result {
	w.Helper()
	result, err := r.Reconcile(w.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	require.NoError(w, err)
	return result
}

func (w *world) get() *v1alpha1.Operator {
	w.Helper()
	found := &v1alpha1.Operator{}
	require.NoError(w, w.store.Get(w.Context(), types.NamespacedName{Name: name}, found))
	return found
}

func (w *world) edit(change func(*v1alpha1.Operator)) {
	w.Helper()
	found := w.get()
	change(found)
	found.Generation++
	require.NoError(w, w.store.Update(w.Context(), found))
}

func (w *world) condition(kind string) string {
	w.Helper()
	found := meta.FindStatusCondition(w.get().Status.Conditions, kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}

func (w *world) message(kind string) string {
	w.Helper()
	return meta.FindStatusCondition(w.get().Status.Conditions, kind).Message
}

// versions are the names of all OperatorVersions.
func (w *world) versions() []string {
	w.Helper()
	list := &v1alpha1.OperatorVersionList{}
	require.NoError(w, w.store.List(w.Context(), list))
	names := []string{}
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names
}

func (w *world) asked() int { return len(w.repo.Requests("/index.yaml")) }
