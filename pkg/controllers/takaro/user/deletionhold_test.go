// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// holding returns a controller that reads and stores TakaroEndpoints.
func (w *world) holding() *reconciler {
	w.T.Helper()
	controller := w.controller(w.Store)
	controller.Keeper = takaroendpoint.New(takaroendpoint.Config{
		Client: w.Store, Live: w.Store, Recorder: w.Recorder, Namespace: controllertest.System, Installation: "test", Clock: w.Clock,
	})
	return controller
}

// deleteMany deletes the Domain together with many others.
func (w *world) deleteMany() *v1alpha1.TakaroEndpoint {
	w.T.Helper()
	return w.DeleteMany(testDomain, func(domain *v1alpha1.Domain) {
		_, err := w.holding().Keeper.At(w.T.Context(), domain, endpoint.Resolved{Endpoint: takaro.Endpoint{URL: domain.Spec.TakaroAPIURL}})
		require.NoError(w.T, err)
	})
}

func TestDeletionIsHeldWithTheDomain(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	w.requireReady()
	e := w.deleteMany()
	w.Delete()
	controller := w.holding()
	w.Once(controller)
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "Unknown DeletionHeld", w.Condition(v1alpha1.ConditionSynced))
	message := w.Message(v1alpha1.ConditionReady)
	assert.Contains(t, message, `Domain "arena" is kept`)
	assert.Contains(t, message, `"deletionPolicy":"Retain"`)
	assert.Len(t, w.inTakaro(), 1)
	assert.NotEmpty(t, w.login(), "the login is kept")

	w.ReleaseMany(e)
	w.Settle(w.holding())
	assert.Nil(t, w.Object())
}

// A namespace that is being deleted may lose its Users before its Domains.
func TestDeletionIsHeldWithTheNamespace(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	w.deleteMany()
	domain := &v1alpha1.Domain{}
	require.NoError(t, w.Store.Get(t.Context(), client.ObjectKey{Namespace: controllertest.Namespace, Name: testDomain}, domain))
	again := domain.DeepCopy()
	domain.Finalizers = nil
	require.NoError(t, w.Store.Update(t.Context(), domain))
	again.DeletionTimestamp, again.ResourceVersion = nil, ""
	w.Add(again)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: controllertest.Namespace, Finalizers: []string{"test/hold"}}}
	w.Add(namespace)
	require.NoError(t, w.Store.Delete(t.Context(), namespace))
	w.Delete()
	w.Once(w.holding())
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Len(t, w.inTakaro(), 1)
}

func TestHeldDeletion_Retain(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	w.deleteMany()
	w.Delete()
	w.Once(w.holding())
	require.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	w.edit(func(spec *v1alpha1.UserSpec) { spec.DeletionPolicy = v1alpha1.UserDeletionPolicyRetain })
	w.Settle(w.holding())
	assert.Nil(t, w.Object())
	assert.Len(t, w.inTakaro(), 1)
}
