// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

func TestHoldRestarts(t *testing.T) {
	w := newWorld(t)
	w.addDomains(5)
	server := mockServer(true)
	w.Add(server)
	at := client.ObjectKeyFromObject(w.Object())
	one, two := endpoint.Key{1}, endpoint.Key{2}
	w.keeper.HoldRestarts(at, one, []string{"team/b-0", "team/b-1"})
	w.keeper.HoldRestarts(at, two, []string{"team/a-0"})
	w.reconcile()
	shown := holdIn(&w.Object().Status, v1alpha1.HoldRestarts)
	assert.Equal(t, v1alpha1.Hold{Type: v1alpha1.HoldRestarts, Held: 3, Names: []string{"team/a-0", "team/b-0", "team/b-1"}}, shown)
	assert.Equal(t, "False RestartsHeld", w.Condition(v1alpha1.ConditionReady))
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), "3 pods whose game servers Takaro at "+address)
	assert.Equal(t, map[string]int{v1alpha1.ReasonRestartsHeld: 1}, w.Told())
	assert.EqualValues(t, 3, heldMetric(t, v1alpha1.HoldRestarts, hold.ScopeTenant))

	w.keeper.HoldRestarts(at, one, []string{"team/b-0"})
	w.reconcile()
	assert.Empty(t, w.Told(), "an event is for the beginning only")
	w.loseMany(4)
	w.compareTwice()
	assert.Equal(t, "False VanishedHeld", w.Condition(v1alpha1.ConditionReady), "what is missing matters more")
	assert.Len(t, w.Object().Status.Holds, 2)
	w.lost = map[string]bool{}
	w.compare()
	assert.Equal(t, "False RestartsHeld", w.Condition(v1alpha1.ConditionReady))
	w.Events()

	w.restart()
	w.reconcile()
	assert.NotZero(t, holdIn(&w.Object().Status, v1alpha1.HoldRestarts).Held, "nothing is known yet")
	w.keeper.HoldRestarts(at, one, nil)
	w.reconcile()
	assert.Empty(t, w.Object().Status.Holds)
	assert.Equal(t, map[string]int{eventHoldEnded: 1}, w.Told())
	assert.Zero(t, heldMetric(t, v1alpha1.HoldRestarts, hold.ScopeTenant))

	w.keeper.HoldRestarts(at, one, []string{"team/b-0"})
	w.reconcile()
	w.restart()
	require.NoError(t, w.Store.Delete(t.Context(), server))
	w.reconcile()
	assert.Empty(t, w.Object().Status.Holds, "no MockServer is left that could say so")
}
