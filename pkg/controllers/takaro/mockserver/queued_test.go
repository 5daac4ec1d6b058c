// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// While the endpoint is busy with others, a new MockServer has a first status, a MockServer that is
// Ready stays Ready, and a deletion waits. Waiting does not cause it to leave its game servers in
// Takaro.
func TestMockServerIsQueued(t *testing.T) {
	w := newWorld(t)
	leave := w.Occupy(w.r.Slots)
	w.Once(w.r)
	assert.Equal(t, "Unknown Queued", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "Unknown Queued", w.Condition(v1alpha1.ConditionSynced))
	version := w.Object().ResourceVersion
	w.Once(w.r)
	assert.Equal(t, version, w.Object().ResourceVersion, "it is written once")
	assert.Zero(t, w.Takaro.Count("", ""))

	leave()
	w.settle(w.play(0))
	require.Equal(t, "True AsSpecified", w.Condition(v1alpha1.ConditionReady))
	w.Occupy(w.r.Slots)
	w.Once(w.r)
	assert.Equal(t, "True AsSpecified", w.Condition(v1alpha1.ConditionReady))
	w.Delete()
	for range 5 {
		w.Once(w.r)
		w.play()()
	}
	require.NotNil(t, w.Object())
	assert.Equal(t, v1alpha1.MockServerDeleting, w.Object().Status.Phase)
	assert.Equal(t, []string{"game"}, w.names())
}
