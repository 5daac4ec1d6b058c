// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// While Takaro requests a pause, a User that is Ready stays Ready. A User whose spec changed does
// not.
func TestPausesKeepReady(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.requireReady()
	before := w.Object()
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTooMany, RetryAfter: time.Minute})
	require.NoError(t, err)
	w.Clock.Step(snapshotLife)
	assert.Positive(t, w.Once(controller).RequeueAfter)
	assert.Equal(t, before, w.Object(), "nothing is stored")
	w.Edit(func(u *v1alpha1.User) { u.Spec.Name = "renamed" })
	w.Once(controller)
	assert.Equal(t, "False RateLimited", w.Condition(v1alpha1.ConditionReady))
}
