// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func storeOf(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, eventsv1.AddToScheme} {
		require.NoError(t, add(scheme))
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func reconcileOnce(t *testing.T, api client.Client) error {
	t.Helper()
	r := &reconciler{client: api, live: api, policy: crdpolicy.Deny, earlier: newEarlier(), clock: clocktesting.NewFakePassiveClock(start),
		instance: "test"}
	_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "widgets.example.com"}})
	return err
}

// change updates the CRD in a store as another client would.
func change(t *testing.T, store client.Client, generation, longest int64) {
	t.Helper()
	found, next := &apiextensionsv1.CustomResourceDefinition{}, definition(generation, longest)
	require.NoError(t, store.Get(t.Context(), client.ObjectKeyFromObject(next), found))
	next.ResourceVersion = found.ResourceVersion
	require.NoError(t, store.Update(t.Context(), next))
}

func eventsIn(t *testing.T, store client.Client) []eventsv1.Event {
	t.Helper()
	list := &eventsv1.EventList{}
	require.NoError(t, store.List(t.Context(), list))
	return list.Items
}

func snapshotIn(t *testing.T, store client.Client) *v1alpha1.CRDSnapshot {
	t.Helper()
	snapshot := &v1alpha1.CRDSnapshot{}
	err := store.Get(t.Context(), client.ObjectKey{Name: "widgets.example.com"}, snapshot)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(t, err)
	return snapshot
}

func TestAMissedChangeIsToldOnce(t *testing.T) {
	store := storeOf(t, definition(1, 100))
	require.NoError(t, reconcileOnce(t, store))
	require.EqualValues(t, 1, snapshotIn(t, store).Spec.Generation)
	change(t, store, 2, 200)
	require.NoError(t, reconcileOnce(t, store))
	require.Empty(t, eventsIn(t, store), "harmless")
	before := testutil.ToFloat64(missed)
	change(t, store, 3, 10)
	require.NoError(t, reconcileOnce(t, store))
	require.NoError(t, reconcileOnce(t, controllertest.ReadOnly(t, store)))
	told := eventsIn(t, store)
	require.Len(t, told, 1)
	assert.Equal(t, "CRDChangeMissed", told[0].Reason)
	assert.Equal(t, "Warning", told[0].Type)
	assert.Equal(t, types.UID("uid"), told[0].Regarding.UID)
	assert.Contains(t, told[0].Note, "spec.versions[v1].schema.name: [CRD-402 B] ")
	assert.InDelta(t, before+1, testutil.ToFloat64(missed), 0)
	assert.EqualValues(t, 3, snapshotIn(t, store).Spec.Generation)

	require.NoError(t, store.Delete(t.Context(), definition(3, 10)))
	require.NoError(t, reconcileOnce(t, store))
	assert.Nil(t, snapshotIn(t, store))
	require.NoError(t, reconcileOnce(t, store))
}

func TestKilledAtAnyCallOfAMissedChange(t *testing.T) {
	var before float64
	var store client.WithWatch
	controllertest.KillEvery(t, 3, func() client.WithWatch {
		store = storeOf(t, definition(1, 100))
		require.NoError(t, reconcileOnce(t, store))
		change(t, store, 2, 10)
		before = testutil.ToFloat64(missed)
		return store
	}, func(api client.WithWatch) { require.NoError(t, reconcileOnce(t, api)) }, func(client.WithWatch) {
		require.Len(t, eventsIn(t, store), 1)
		require.EqualValues(t, 2, snapshotIn(t, store).Spec.Generation)
		require.LessOrEqual(t, testutil.ToFloat64(missed)-before, 1.0)
	})
}

func TestWhatCannotBeToldIsNotForgotten(t *testing.T) {
	store := storeOf(t, definition(1, 100))
	require.NoError(t, reconcileOnce(t, store))
	change(t, store, 2, 10)
	refusing := interceptor.NewClient(store, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object,
		...client.CreateOption) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "x", errors.New("no"))
	}})
	require.Error(t, reconcileOnce(t, refusing))
	require.EqualValues(t, 1, snapshotIn(t, store).Spec.Generation)
	require.NoError(t, reconcileOnce(t, store))
	require.Len(t, eventsIn(t, store), 1)
}

func TestOnlyTheAPIServerSaysThatADefinitionIsGone(t *testing.T) {
	store := storeOf(t, definition(1, 100))
	require.NoError(t, reconcileOnce(t, store))
	proxy := interceptor.NewClient(store, interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object,
		...client.GetOption) error {
		return apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{}, "x", "<html>", 0, true)
	}})
	require.Error(t, reconcileOnce(t, proxy))
	require.NotNil(t, snapshotIn(t, store))
}

func TestASnapshotThatNobodyCanReadIsReplaced(t *testing.T) {
	store := storeOf(t, definition(1, 100))
	require.NoError(t, reconcileOnce(t, store))
	broken := snapshotIn(t, store)
	broken.Spec.Definition.Raw = []byte(`{"kind":"Other"}`)
	require.NoError(t, store.Update(t.Context(), broken))
	change(t, store, 2, 10)
	require.NoError(t, reconcileOnce(t, store))
	require.Empty(t, eventsIn(t, store))
	require.EqualValues(t, 2, snapshotIn(t, store).Spec.Generation)
}

func TestWhichChangesAreLookedAt(t *testing.T) {
	base := definition(1, 1)
	labelled := definition(1, 1)
	labelled.Labels = map[string]string{"a": "b"}
	for name, c := range map[string]struct {
		now  *apiextensionsv1.CustomResourceDefinition
		want bool
	}{
		"status":  {labelled, false},
		"spec":    {definition(2, 1), true},
		"policy":  {definition(1, 1, crdpolicy.PolicyAnnotation, "Off"), true},
		"allowed": {definition(1, 1, crdpolicy.AllowChangeAnnotation, "sha256:0"), true},
		"other":   {definition(1, 1, "other", "x"), false},
	} {
		assert.Equal(t, c.want, matters.Update(event.UpdateEvent{ObjectOld: base, ObjectNew: c.now}), name)
	}
	assert.False(t, foundOrLost.Update(event.UpdateEvent{}))
	assert.True(t, foundOrLost.Delete(event.DeleteEvent{}))
}
