// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NamespaceEnd describes an object whose deletion needs a Secret that does not exist.
type NamespaceEnd struct {
	// Namespaces is the live reader of the controller, which knows which namespaces were deleted.
	Namespaces interface {
		client.Reader
		OnDelete(namespace any)
	}
	// Settle reconciles the object until nothing is left to do.
	Settle func()
	// Secret is the name of the Secret that is deleted.
	Secret string
	// Condition is the type of a condition, and Blocked its status and reason while the deletion
	// waits.
	Condition, Blocked string
}

// RequireNamespaceEnd requires that the deletion of the object under test ends only after the
// deletion of its namespace was observed: from then on the Secret cannot be created again.
func (w *World[T]) RequireNamespaceEnd(of NamespaceEnd) {
	w.T.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	w.Add(namespace)
	of.Settle()
	secret := w.Secret(of.Secret)
	secret.Finalizers = nil
	require.NoError(w.T, w.Store.Update(w.T.Context(), secret))
	require.NoError(w.T, w.Store.Delete(w.T.Context(), secret))
	w.Delete()
	of.Settle()
	assert.Equal(w.T, of.Blocked, w.Condition(of.Condition))
	require.NoError(w.T, w.Store.Delete(w.T.Context(), namespace))
	of.Settle()
	assert.Equal(w.T, of.Blocked, w.Condition(of.Condition), "an absent namespace proves nothing")
	namespace.DeletionTimestamp = ptr.To(metav1.Now())
	of.Namespaces.OnDelete(namespace)
	of.Settle()
	assert.Nil(w.T, w.Object())
}
