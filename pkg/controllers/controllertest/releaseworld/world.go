// SPDX-License-Identifier: Apache-2.0

// Package releaseworld contains what the tests of the controllers of Operators and of
// OperatorVersions share.
package releaseworld

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
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/test/fakes/chartrepo"
	"roadstead.dev/roadstead/test/fakes/privateca"
)

// Operator is the name of the Operator and of its chart.
const Operator = "widgets"

// World contains the state that outlives a controller: the stored objects, the chart repository,
// and the time.
type World struct {
	*testing.T
	Store    client.WithWatch
	Repo     *chartrepo.Repository
	Charts   *repository.Client
	Clock    *clocktesting.FakeClock
	Recorder *events.FakeRecorder
}

// Create creates an object as the API server does, in a store without validation and defaulting.
type Create func(ctx context.Context, store client.WithWatch, object client.Object, options ...client.CreateOption) error

// New returns a World without objects.
func New(t *testing.T, create Create) *World {
	t.Helper()
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	repo, err := chartrepo.NewRepository(serving)
	require.NoError(t, err)
	t.Cleanup(func() { _ = repo.Close() })
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	charts := repository.New(repository.Options{RootCAs: roots, Dial: netguard.Policy{AllowLoopback: true}, IndexLife: time.Nanosecond})
	t.Cleanup(charts.Close)
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	store := fake.NewClientBuilder().WithScheme(scheme).
		WithStatusSubresource(&v1alpha1.Operator{}, &v1alpha1.OperatorVersion{}, &v1alpha1.CRDSchema{})
	for _, index := range chartsource.Indexes() {
		store = store.WithIndex(index.Object, index.Name, index.Extract)
	}
	return &World{
		T: t, Store: interceptor.NewClient(store.Build(), interceptor.Funcs{Create: create}), Repo: repo, Charts: charts,
		Clock: clocktesting.NewFakeClock(time.Now()), Recorder: events.NewFakeRecorder(1000),
	}
}

// Add creates objects.
func (w *World) Add(objects ...client.Object) {
	w.Helper()
	for _, object := range objects {
		require.NoError(w, w.Store.Create(w.Context(), object))
	}
}

// Serve adds a version of the chart to the repository and returns its digest.
func (w *World) Serve(version string, files map[string]string) string {
	w.Helper()
	digest, err := w.Repo.Add(chartrepo.Chart{Name: Operator, Version: version, Files: files})
	require.NoError(w, err)
	return digest
}

// GetOperator returns the Operator.
func (w *World) GetOperator() *v1alpha1.Operator {
	w.Helper()
	found := &v1alpha1.Operator{}
	require.NoError(w, w.Store.Get(w.Context(), client.ObjectKey{Name: Operator}, found))
	return found
}

// EditOperator changes the Operator as a user would.
func (w *World) EditOperator(change func(*v1alpha1.Operator)) {
	w.Helper()
	found := w.GetOperator()
	change(found)
	found.Generation++
	require.NoError(w, w.Store.Update(w.Context(), found))
}

// Names returns the names of all objects of a list type.
func (w *World) Names(list client.ObjectList) []string {
	w.Helper()
	require.NoError(w, w.Store.List(w.Context(), list))
	names := []string{}
	require.NoError(w, meta.EachListItem(list, func(item runtime.Object) error {
		names = append(names, item.(client.Object).GetName())
		return nil
	}))
	return names
}

// Condition returns the status and the reason of a condition, for example "True AsSpecified", or
// "absent".
func Condition(conditions []metav1.Condition, kind string) string {
	found := meta.FindStatusCondition(conditions, kind)
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}
