// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// TestFinalize_OtherFinalizers: in a foreground deletion the Domain still exists after its
// controller is finished. It must not keep reporting that it waits for Users that no longer exist.
func TestFinalize_OtherFinalizers(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	domain := w.requireReady()
	domain.Finalizers = append(domain.Finalizers, metav1.FinalizerDeleteDependents)
	require.NoError(t, w.Store.Update(t.Context(), domain))
	meta.SetStatusCondition(&domain.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonDeletingUsers,
		Message: "waiting for 1 Users to go: alice",
	})
	require.NoError(t, w.Store.Status().Update(t.Context(), domain))
	w.Delete()
	w.Settle(controller)
	assert.Empty(t, w.Takaro.Domains())
	left := w.Object()
	require.NotNil(t, left)
	assert.Equal(t, []string{metav1.FinalizerDeleteDependents}, left.Finalizers)
	assert.Equal(t, v1alpha1.DomainDeleting, left.Status.Phase)
	ready := meta.FindStatusCondition(left.Status.Conditions, v1alpha1.ConditionReady)
	assert.Equal(t, v1alpha1.ReasonDeleting, ready.Reason)
	assert.Contains(t, ready.Message, "finalizers: "+metav1.FinalizerDeleteDependents)
	version := left.ResourceVersion
	w.Settle(controller)
	assert.Equal(t, version, w.Object().ResourceVersion)
}
