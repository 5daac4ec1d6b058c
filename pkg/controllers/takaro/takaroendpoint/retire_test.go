// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
)

func TestRetire(t *testing.T) {
	retire := func(t *testing.T, s *site) {
		t.Helper()
		require.NoError(t, s.Store.Delete(t.Context(), s.stored("arena")))
		name := reconcile.Request{}
		name.Namespace, name.Name = s.endpoint().Namespace, s.endpoint().Name
		for range 2 {
			_, err := (&reconciler{Keeper: s.keeper}).Reconcile(t.Context(), name)
			require.NoError(t, err)
		}
		list := &v1alpha1.TakaroEndpointList{}
		require.NoError(t, s.Store.List(t.Context(), list))
		require.False(t, slices.ContainsFunc(list.Items, func(e v1alpha1.TakaroEndpoint) bool {
			return e.Name == name.Name &&
				e.Namespace == name.Namespace
		}))
	}
	t.Run("the anchor goes with the last user", func(t *testing.T) {
		s := newSite(t)
		s.use()
		retire(t, s)
		assert.Empty(t, s.Takaro.Anchors())
	})
	t.Run("nobody creates the anchor anew before the object is deleted", func(t *testing.T) {
		s := newSite(t)
		s.use()
		require.NoError(t, s.Store.Delete(t.Context(), s.stored("arena")))
		require.NoError(t, s.keeper.removeAnchor(t.Context(), s.endpoint()))
		s.look(anchor.Period)
		assert.Empty(t, s.Takaro.Anchors())
	})
	t.Run("the last status says that the anchor was deleted", func(t *testing.T) {
		s := newSite(t)
		s.use()
		kept := s.endpoint()
		kept.Finalizers = append(kept.Finalizers, "example.com/own")
		require.NoError(t, s.Store.Update(t.Context(), kept))
		require.NoError(t, s.Store.Delete(t.Context(), s.stored("arena")))
		for range 2 {
			_, err := (&reconciler{Keeper: s.keeper}).Reconcile(t.Context(),
				reconcile.Request{NamespacedName: types.NamespacedName{Namespace: kept.Namespace, Name: kept.Name}})
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"example.com/own"}, s.endpoint().Finalizers)
		assert.Nil(t, s.endpoint().Status.Anchor)
	})
	t.Run("it stays while another TakaroEndpoint needs it", func(t *testing.T) {
		s := newSite(t)
		s.use()
		s.addAnother(t)
		retire(t, s)
		assert.Len(t, s.Takaro.Anchors(), 1)
	})
	t.Run("one with which the controller is done does not need it", func(t *testing.T) {
		s := newSite(t)
		s.use()
		other := s.addAnother(t, "example.com/own")
		require.NoError(t, s.Store.Delete(t.Context(), other))
		retire(t, s)
		assert.Empty(t, s.Takaro.Anchors())
	})
	t.Run("it stays while another installation holds it", func(t *testing.T) {
		s := copied(t)
		s.Clock.Step(2 * anchorLimit)
		retire(t, s)
		assert.Len(t, s.Takaro.Anchors(), 1)
	})
}
