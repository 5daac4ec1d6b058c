// SPDX-License-Identifier: Apache-2.0

package domain

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
	w.addDomain()
	controller := w.controller(w.Store)
	namespaces := orphans.NewNamespaces(controller.live, w.Clock)
	controller.live = namespaces
	w.Settle(controller)
	token := w.Secret(credentials)
	token.Finalizers = nil
	require.NoError(t, w.Store.Update(t.Context(), token))
	require.NoError(t, w.Store.Delete(t.Context(), token))
	w.Delete()
	w.Settle(controller)
	assert.Equal(t, "False SecretNotFound", w.Condition(v1alpha1.ConditionEndpointReady))
	require.NoError(t, w.Store.Delete(t.Context(), namespace))
	w.Settle(controller)
	assert.Equal(t, "False SecretNotFound", w.Condition(v1alpha1.ConditionEndpointReady), "an absent namespace proves nothing")
	namespace.DeletionTimestamp = ptr.To(metav1.Now())
	namespaces.OnDelete(namespace)
	w.Settle(controller)
	assert.Nil(t, w.Object())
	assert.Len(t, w.Takaro.Domains(), 1, "it cannot be asked for any more")
}
