// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// An incomplete list is no evidence about any Domain.
func TestIncompleteListWakesNobody(t *testing.T) {
	w, comparer := watching(t)
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTruncate, Path: "/domain/search"})
	require.NoError(t, err)
	assert.False(t, comparer.woken(t))
	w.Clock.Step(2 * ownership.VanishedWindow)
	assert.False(t, comparer.woken(t))
	state, err := comparer.Keeper.At(t.Context(), w.Object(), attemptOf(t, comparer.reconciler, w.Object()).Resolved)
	require.NoError(t, err)
	assert.Zero(t, state.GoneSince)
}

// A missing domain wakes its Domain once. After that, the Domain requeues itself until the domain
// returns.
func TestVanishedDomainWakesOnce(t *testing.T) {
	w, comparer := watching(t)
	former, _ := w.Takaro.SwapDatabase("other", true)
	assert.True(t, comparer.woken(t))
	w.Once(comparer)
	require.Equal(t, "False Vanished", w.Condition(v1alpha1.ConditionReady))
	for range 3 {
		assert.False(t, comparer.woken(t))
		w.Clock.Step(ownership.VanishedWindow)
	}
	w.Settle(comparer)
	w.requireReady()
	w.Clock.Step(time.Second)
	w.Takaro.SwapDatabase(former, true)
	assert.True(t, comparer.woken(t), "the other database is the one that is missing now")
	w.Once(comparer)
	w.Takaro.SwapDatabase("other", true)
	assert.True(t, comparer.woken(t), "it is there again")
}

// A reference that is in use elsewhere is not sent again at each comparison.
func TestTakenReferenceIsNotSentAgainAndAgain(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("wanted"))
	controller := w.controller(w.Store)
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.Method == http.MethodPut && w.Takaro.Count(http.MethodPut, "/domain/*") == 0 {
			_, _, err := w.Takaro.PlantDomain(seed("wanted"))
			require.NoError(t, err)
		}
		w.Takaro.ServeHTTP(out, in)
	}
	w.Once(controller)
	require.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
	comparer := newWatchedQueue(t, controller)
	assert.False(t, comparer.woken(t))
	w.change(w.Object().Status.DomainID, `{"name":"drifted"}`)
	w.Clock.Step(time.Second)
	assert.True(t, comparer.woken(t))
}

// If all domains of a database are missing, they are not read one by one.
func TestHeldBackDomainsCostNoRequest(t *testing.T) {
	w, comparer := watching(t)
	w.Takaro.SwapDatabase("other", true)
	comparer.woken(t)
	w.Takaro.ResetCounts()
	a := attemptOf(t, comparer.reconciler, w.Object())
	a.State.VanishedHold = "kubectl annotate"
	_, err := outside.Ensure(t.Context(), comparer.object(a))
	blocked := a.stopped(err)
	assert.Equal(t, v1alpha1.ReasonVanished, blocked.Reason)
	assert.Equal(t, heldWait, blocked.RequeueAfter)
	assert.Zero(t, w.Takaro.Count("", ""))
}
