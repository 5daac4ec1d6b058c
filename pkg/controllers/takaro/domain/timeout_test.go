// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// If Takaro never responds, the work ends before the reconciliation does, so that the status can
// report it.
func TestEndpointThatNeverAnswersIsReported(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.Through = neverAnswers
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+100*time.Millisecond)
	defer cancel()
	_, err := w.controller(w.Store).Reconcile(ctx, w.Request())
	require.Error(t, err, "it backs off")
	require.NoError(t, ctx.Err())
	assert.Equal(t, "False EndpointUnavailable", w.Condition(v1alpha1.ConditionEndpointReady))
	assert.Equal(t, w.Object().Generation, w.Object().Status.ObservedGeneration)
}
