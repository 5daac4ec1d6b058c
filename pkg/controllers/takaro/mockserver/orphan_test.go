// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
)

func TestDeletion_WithoutSecretEndsOnlyWhenTheNamespaceWasDeleted(t *testing.T) {
	w := newWorld(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: controllertest.Namespace}}
	w.Add(namespace)
	namespaces := orphans.NewNamespaces(w.r.live, w.Clock)
	w.r.live = namespaces
	w.settle(w.play(0))
	require.NoError(t, w.Store.Delete(t.Context(), controllertest.NewSecret(controllertest.Namespace, "admin", nil, nil)))
	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	w.settle(w.play())
	assert.Equal(t, "False DeletionBlocked", w.Condition("Ready"))
	require.NoError(t, w.Store.Delete(t.Context(), namespace))
	w.settle(w.play())
	assert.Equal(t, "False DeletionBlocked", w.Condition("Ready"), "an absent namespace proves nothing")
	namespace.DeletionTimestamp = ptr.To(metav1.Now())
	namespaces.OnDelete(namespace)
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.Len(t, w.names(), 1, "it cannot be asked for any more")
}
