// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// While Takaro requests a pause, a MockServer that is Ready stays Ready.
func TestPausesKeepReady(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	require.Equal(t, "True AsSpecified", w.Condition(v1alpha1.ConditionReady))
	before := w.Object()
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTooMany, RetryAfter: time.Minute})
	require.NoError(t, err)
	w.r.roster.Retain(nil)
	assert.Positive(t, w.Once(w.r).RequeueAfter)
	assert.Equal(t, before, w.Object(), "nothing is stored")
}
