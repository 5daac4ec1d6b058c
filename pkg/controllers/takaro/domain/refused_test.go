// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

func TestRefusedTokenIsAskedOnceForNewDomains(t *testing.T) {
	w := newWorld(t)
	w.Takaro.SetAdminToken("another")
	w.addDomain()
	controller := w.controller(w.Store)
	for _, wait := range []time.Duration{problem.RefusedWait, 2 * problem.RefusedWait, 4 * problem.RefusedWait,
		8 * problem.RefusedWait, 5 * time.Minute} {
		result, err := controller.Reconcile(t.Context(), w.Request())
		require.NoError(t, err)
		assert.InDelta(t, wait, result.RequeueAfter, 0.2*float64(wait), "it backs off: thousands may have this token")
	}
	assert.Equal(t, 1, w.Takaro.Count("", ""))
	assert.Equal(t, "False AdminTokenRefused", w.Condition(v1alpha1.ConditionReady))
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), `; put a valid admin token into Secret "team/`+credentials+
		`" under key "adminToken"`)
	assert.Equal(t, []reconcile.Request{w.Request()}, controller.domainsOf(controllertest.System)(t.Context(), w.Secret(credentials)),
		"a change of the Secret wakes it")
	w.Takaro.SetAdminToken(string(w.Secret(credentials).Data["adminToken"]))
	w.Settle(controller)
	w.requireReady()
}
