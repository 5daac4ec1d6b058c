// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// With a Takaro whose responses exceed the size limit, the Domain reports what is too large and how
// to change that, nothing is created, and it continues once the responses are within the limit.
func TestAnswersWithoutEnd(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultEndless, Path: "/domain/search"})
	require.NoError(t, err)
	controller := w.controller(w.Store)
	result, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, problem.ForeignWait, result.RequeueAfter, "the search costs much")
	assert.Equal(t, "False SearchTooLarge", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "True EndpointAnswers", w.Condition(v1alpha1.ConditionEndpointReady))
	assert.Equal(t, v1alpha1.DomainError, w.Object().Status.Phase)
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), "The administrator of that Takaro must check")
	assert.Empty(t, w.Takaro.Domains())
	w.Takaro.RemoveFault(fault)
	w.Settle(controller)
	w.requireReady()
}

// After a list was too large, the Domains of the endpoint do not read it again within a minute.
func TestAListThatIsTooLargeIsReadOnceAMinute(t *testing.T) {
	w := newWatched(t, "first")
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultEndless, Path: "/domain/search"})
	require.NoError(t, err)
	before := len(w.Takaro.Requests())
	for range 3 {
		_, err = w.observer.list(t.Context(), w.key, w.client)
		require.True(t, takaro.IsSearchTooLarge(err), "%v", err)
		assert.Len(t, w.Takaro.Requests(), before+1)
	}
	w.Clock.Step(time.Minute)
	_, err = w.observer.list(t.Context(), w.key, w.client)
	require.True(t, takaro.IsSearchTooLarge(err), "%v", err)
	assert.Len(t, w.Takaro.Requests(), before+2)
}
