// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
)

// holding returns a controller that reads and stores TakaroEndpoints.
func (w *world) holding() *reconciler {
	w.T.Helper()
	controller := w.controller(w.Store)
	controller.Keeper = takaroendpoint.New(takaroendpoint.Config{
		Client: w.Store, Live: w.Store, Recorder: w.Recorder, Namespace: controllertest.System, Installation: "unit", Clock: w.Clock,
	})
	return controller
}

// manyDeleted returns a world in which the Domain, with a User, is deleted together with many
// others.
func manyDeleted(t *testing.T) (*world, *v1alpha1.TakaroEndpoint) {
	t.Helper()
	w := newWorld(t)
	w.addDomain()
	w.Settle(w.controller(w.Store))
	user := &v1alpha1.User{ObjectMeta: metav1.ObjectMeta{
		Namespace: controllertest.Namespace, Name: "ann", UID: "ann", Finalizers: []string{"test/hold"}, CreationTimestamp: metav1.Now(),
	}}
	user.Spec.DomainRef.Name = testName
	require.NoError(t, controllerutil.SetControllerReference(w.Object(), user, w.Store.Scheme()))
	w.Add(user, controllertest.NewSecret(controllertest.System, "takaro", map[string]string{endpoint.Label: "true"},
		map[string]string{"url": w.Front.URL, "adminToken": w.Takaro.AdminToken()}))
	return w, w.DeleteMany(testName, func(*v1alpha1.Domain) { w.Once(w.holding()) })
}

func (w *world) user() *v1alpha1.User {
	w.T.Helper()
	found := &v1alpha1.User{}
	require.NoError(w.T, w.Store.Get(w.T.Context(), client.ObjectKey{Namespace: controllertest.Namespace, Name: "ann"}, found))
	return found
}

func TestDeletionIsHeld(t *testing.T) {
	w, e := manyDeleted(t)
	ids := w.ids()
	controller := w.holding()
	result := w.Once(controller)
	assert.NotZero(t, result.RequeueAfter)
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "False DeletionHeld", w.Condition(v1alpha1.ConditionSynced))
	message := w.Message(v1alpha1.ConditionReady)
	assert.Contains(t, message, "Takaro at "+w.Front.URL)
	assert.Contains(t, message, "kubectl annotate takaroendpoints.takaro.roadstead.dev "+e.Name+
		" -n roadstead-system roadstead.dev/release-hold=4-")
	assert.Contains(t, message, letGo(w.Object()))
	assert.Nil(t, w.user().DeletionTimestamp, "what the Domain contains is kept too")
	assert.Equal(t, ids, w.ids())

	w.ReleaseMany(e)
	controller = w.holding()
	w.Once(controller)
	assert.NotNil(t, w.user().DeletionTimestamp)
	assert.Equal(t, "Unknown Reconciling", w.Condition(v1alpha1.ConditionSynced))
	user := w.user()
	user.Finalizers = nil
	require.NoError(t, w.Store.Update(t.Context(), user))
	w.Settle(controller)
	require.NotContains(t, w.Object().Finalizers, Finalizer, "%+v", w.Object().Status.Conditions)
	assert.Empty(t, w.ids())
}

func TestHeldDeletion_Retain(t *testing.T) {
	w, _ := manyDeleted(t)
	ids := w.ids()
	controller := w.holding()
	w.Once(controller)
	require.Equal(t, "False DeletionHeld", w.Condition(v1alpha1.ConditionSynced))
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
	w.Once(controller)
	user := w.user()
	require.NotNil(t, user.DeletionTimestamp)
	user.Finalizers = nil
	require.NoError(t, w.Store.Update(t.Context(), user))
	w.Once(controller)
	assert.NotContains(t, w.Object().Finalizers, Finalizer)
	assert.Equal(t, ids, w.ids())
}
