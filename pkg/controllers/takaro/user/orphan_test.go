// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
)

func TestDeletion_WithoutSecretEndsOnlyWhenTheNamespaceWasDeleted(t *testing.T) {
	w := newWorld(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: controllertest.Namespace}}
	w.Add(namespace)
	w.addUser()
	controller := w.controller(w.Store)
	namespaces := orphans.NewNamespaces(controller.live, w.Clock)
	controller.live = namespaces
	w.Settle(controller)
	require.NoError(t, w.Store.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: "admin"}}))
	w.Delete()
	w.Settle(controller)
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	require.NoError(t, w.Store.Delete(t.Context(), namespace))
	w.Settle(controller)
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady), "an absent namespace proves nothing")
	namespace.DeletionTimestamp = ptr.To(metav1.Now())
	namespaces.OnDelete(namespace)
	w.Settle(controller)
	assert.Nil(t, w.Object())
	assert.Len(t, w.inTakaro(), 1, "it cannot be asked for any more")
}
