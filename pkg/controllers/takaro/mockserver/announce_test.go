// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// TestAnnounce_WhatAUserMustDo: a MockServer that cannot start because an address is missing emits
// one event that reports it.
func TestAnnounce_WhatAUserMustDo(t *testing.T) {
	w := newWorld(t, func(d *v1alpha1.Domain, _ *v1alpha1.MockServer) { d.Spec.ConnectorURL = "" })
	for range 3 {
		w.Once(w.r)
	}
	require.Equal(t, "False ConnectorUnknown", w.Condition("Ready"))
	require.Equal(t, "True ConnectorUnknown", w.Condition(v1alpha1.ConditionStalled))
	assert.Equal(t, 1, w.Told()[v1alpha1.ReasonConnectorUnknown])
}

// TestAnnounce_WaitingIsNoEvent: every new MockServer waits for its pods.
func TestAnnounce_WaitingIsNoEvent(t *testing.T) {
	w := newWorld(t)
	w.Once(w.r)
	for reason := range w.Told() {
		assert.NotContains(t, []string{v1alpha1.ReasonPodsNotReady, v1alpha1.ReasonRegistering, base.EventRecovered}, reason)
	}
}
