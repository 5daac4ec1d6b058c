// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// orphan removes owner references as the garbage collector does for kubectl delete
// --cascade=orphan.
func (w *world) orphan() {
	w.T.Helper()
	set, err := w.set()
	require.NoError(w.T, err)
	set.OwnerReferences = nil
	require.NoError(w.T, w.Store.Update(w.T.Context(), set))
	secret := w.Secret(secretName(w.Object()))
	secret.OwnerReferences = nil
	require.NoError(w.T, w.Store.Update(w.T.Context(), secret))
	server := w.Object()
	server.Finalizers = []string{Finalizer}
	require.NoError(w.T, w.Store.Update(w.T.Context(), server))
}

// deleteOrphaning deletes the MockServer as the API server does for kubectl delete
// --cascade=orphan.
func (w *world) deleteOrphaning() {
	w.T.Helper()
	server := w.Object()
	server.Finalizers = append(server.Finalizers, metav1.FinalizerOrphanDependents)
	require.NoError(w.T, w.Store.Update(w.T.Context(), server))
	w.Delete()
}

// anew returns the MockServer as it is created again after its deletion.
func anew() *v1alpha1.MockServer {
	server := withDomain(named("99999999-2222-3333-4444-555555555555", "game"))
	server.Generation = 1
	return server
}

func TestStatefulSetOfAnEarlierObjectIsTakenOver(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	former := identity(w.Object(), 0)
	w.deleteOrphaning()
	w.Once(w.r)
	assert.Contains(t, w.Message("Ready"), "garbage collector")
	w.orphan()
	w.settle(w.play())
	require.Nil(t, w.Object())
	assert.Empty(t, w.names(), "its game server is removed from Takaro")
	set, err := w.set()
	require.NoError(t, err, "the StatefulSet stays")
	set.Labels["kept"] = "yes"
	require.NoError(t, w.Store.Update(t.Context(), set))

	w.Add(anew())
	w.settle(w.play(0))
	require.NoError(t, w.Store.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace(set.Namespace))) // the template changed
	w.settle(w.play(0))
	w.requireReady()
	set, err = w.set()
	require.NoError(t, err)
	assert.Equal(t, "yes", set.Labels["kept"], "it was not created anew")
	assert.True(t, metav1.IsControlledBy(set, w.Object()))
	token := spelled(set.Spec.Template.Spec.Containers[0].Env)["TAKARO_MOCK_IDENTITY_TOKEN"]
	assert.Equal(t, identityPrefix(w.Object())+"$(POD_INDEX)", token)
	assert.NotEqual(t, former, identity(w.Object(), 0))
	assert.Equal(t, 1, w.Told()[eventSetTaken])
	w.Delete()
	w.settle(w.play())
	require.Nil(t, w.Object())
	_, err = w.set()
	assert.True(t, apierrors.IsNotFound(err), "it is the new object's in everything")
}

// The ledger is stored before the pods of the new object may start.
func TestStatefulSetIsTakenOverAfterTheIntents(t *testing.T) {
	w := newWorld(t)
	left := leftSet()
	w.Add(left)
	checked := false
	w.r = w.controller(interceptor.NewClient(w.Store, interceptor.Funcs{
		Update: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			if _, isSet := object.(*appsv1.StatefulSet); isSet {
				assert.Len(t, w.records(), 1)
				checked = true
			}
			return c.Update(ctx, object, options...)
		},
	}))
	w.settle(w.play(0))
	w.requireReady()
	assert.True(t, checked)
}

// leftSet returns a StatefulSet that the controller created for an earlier object, without an
// owner.
func leftSet(changes ...func(*appsv1.StatefulSet)) *appsv1.StatefulSet {
	d := deploymentOf()
	d.server = withDomain(named("77777777-2222-3333-4444-555555555555", "game"))
	set := statefulSet(d)
	for _, change := range changes {
		change(set)
	}
	return set
}

func ownedBySomebody(reference metav1.OwnerReference) func(*appsv1.StatefulSet) {
	return func(set *appsv1.StatefulSet) { set.OwnerReferences = []metav1.OwnerReference{reference} }
}

func TestStatefulSetOfAFormerOwner(t *testing.T) {
	mockServer := metav1.OwnerReference{
		APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: "MockServer", Name: "game", UID: "gone", Controller: ptr.To(true),
	}
	another := mockServer
	another.Name = "duel"
	for name, c := range map[string]struct {
		set   *appsv1.StatefulSet
		taken bool
	}{
		"without owner":            {leftSet(), true},
		"of an earlier MockServer": {leftSet(ownedBySomebody(mockServer)), true},
		"of another MockServer":    {leftSet(ownedBySomebody(another)), false},
		"of somebody else": {leftSet(ownedBySomebody(metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Team", Name: "game", UID: "team",
			Controller: ptr.To(true)})), false},
		"owned and not controlled by somebody else": {leftSet(ownedBySomebody(
			metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Team", Name: "game", UID: "team"})), false},
		"created by another program":       {leftSet(func(s *appsv1.StatefulSet) { s.Labels["app.kubernetes.io/managed-by"] = "Helm" }), false},
		"with the label of another object": {leftSet(func(s *appsv1.StatefulSet) { s.Labels[Label] = "duel" }), false},
		"without the hash of the spec":     {leftSet(func(s *appsv1.StatefulSet) { delete(s.Annotations, specAnnotation) }), false},
		"without the simulation":           {leftSet(func(s *appsv1.StatefulSet) { delete(s.Annotations, simulationAnnotation) }), false},
		"with a selector of somebody else": {leftSet(func(s *appsv1.StatefulSet) { s.Spec.Selector.MatchLabels["app"] = "database" }), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Add(c.set)
			before, err := w.set()
			require.NoError(t, err)
			if c.taken {
				w.settle(w.play(0))
				w.requireReady()
			} else {
				w.Once(w.r)
				assert.Equal(t, "False StatefulSetNameTaken", w.Condition("Deployed"))
				assert.Contains(t, w.Message("Ready"), `StatefulSet "game"`)
				w.Delete()
				w.settle(func() {})
				require.Nil(t, w.Object())
			}
			after, err := w.set()
			require.NoError(t, err)
			assert.Equal(t, c.taken, metav1.IsControlledBy(after, named(string(testUID), "game")))
			if !c.taken {
				assert.Equal(t, before, after, "it is neither changed nor deleted")
			}
		})
	}
}

func TestTakeOverKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, 15, func(w *world) { w.Add(leftSet()) }, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

// The garbage collector orphans the StatefulSet after the controller has read it, with or without
// the finalizer of the MockServer.
func TestStatefulSetOrphanedSinceItWasReadStays(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	w.r = w.controller(interceptor.NewClient(w.Store, interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if _, isSet := object.(*appsv1.StatefulSet); isSet {
				w.orphan()
			}
			return c.Delete(ctx, object, options...)
		},
	}))
	w.Delete()
	w.settle(w.play())
	require.Nil(t, w.Object())
	set, err := w.set()
	require.NoError(t, err)
	assert.Empty(t, set.OwnerReferences)
}
