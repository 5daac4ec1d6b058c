// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// holding returns a Keeper that reads and stores TakaroEndpoints.
func (w *world) holding() *takaroendpoint.Keeper {
	return takaroendpoint.New(takaroendpoint.Config{
		Client: w.Store, Live: w.Store, Recorder: w.Recorder, Namespace: controllertest.System, Installation: "test", Clock: w.Clock,
	})
}

// The pods, the saved state and the game servers are kept while the deletion of the Domain is held.
func TestDeletionIsHeldWithTheDomain(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	require.Equal(t, "True AsSpecified", w.Condition("Ready"))
	e := w.DeleteMany("arena", func(domain *v1alpha1.Domain) {
		_, err := w.holding().At(t.Context(), domain, endpoint.Resolved{Endpoint: takaro.Endpoint{URL: domain.Spec.TakaroAPIURL}})
		require.NoError(t, err)
	})
	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	mark := markOf(w.Object())
	before, _ := w.inRedis(mark)
	require.NotZero(t, before)
	w.r.Keeper = w.holding()
	for range 3 {
		w.Once(w.r)
		w.play()()
	}
	assert.Equal(t, "False DeletionBlocked", w.Condition("Ready"))
	assert.Contains(t, w.Message("Ready"), `Domain "arena" is kept`)
	_, err := w.set()
	assert.NoError(t, err)
	saved, login := w.inRedis(mark)
	assert.Equal(t, before, saved)
	assert.True(t, login)
	assert.Len(t, w.names(), 1)

	w.ReleaseMany(e)
	w.r.Keeper = w.holding()
	w.settle(w.play())
	assert.Nil(t, w.Object())
}
