// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// Takaro's soft delete keeps the row: its reference remains in use, and a search finds it.
func TestReferenceOfASoftDeletedDomainStaysTaken(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("season-one"), func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDisable })
	controller := w.controller(w.Store)
	w.Settle(controller)
	first := w.requireReady().Status.DomainID
	w.Delete()
	w.Settle(controller)
	require.Nil(t, w.Object())
	require.Equal(t, "DISABLED", w.Takaro.Domains()[0].State)

	for _, suffix := range []string{rootSuffix, v1alpha1.RegistrationSecretSuffix} { // as the garbage collector does
		require.NoError(t, w.Store.Delete(t.Context(), w.Secret(testName+suffix)))
	}
	w.addDomain(withReference("season-one"), func(d *v1alpha1.Domain) { d.UID = "another-uid" })
	_, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
	require.Len(t, w.Takaro.Domains(), 1, "no second one is made, and the first is not removed")
	assert.Equal(t, "DISABLED", w.Takaro.Domains()[0].State)

	w.Edit(adopting)
	w.Settle(controller)
	assert.Equal(t, first, w.requireReady().Status.DomainID)
	assert.Equal(t, "ACTIVE", w.Takaro.Domains()[0].State, "as its spec says")
}
