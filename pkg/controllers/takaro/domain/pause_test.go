// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// While Takaro requests a pause, a Domain that is Ready stays Ready. A Domain whose spec changed is
// not Ready.
func TestPausesKeepReady(t *testing.T) {
	for name, after := range map[string]time.Duration{"with a time": 7 * time.Second, "without a time": 0} {
		t.Run(name, func(t *testing.T) {
			w, comparer := watching(t)
			before := w.Object()
			fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTooMany, RetryAfter: after})
			require.NoError(t, err)
			assert.False(t, comparer.woken(t), "the comparison shows nothing")
			w.Clock.Step(snapshotLife)
			result, err := comparer.Reconcile(t.Context(), w.Request())
			assert.Equal(t, after == 0, err != nil, "without a time, it backs off")
			assert.Equal(t, after > 0, result.RequeueAfter > 0)
			assert.Equal(t, before, w.Object(), "nothing is stored")

			w.Edit(func(d *v1alpha1.Domain) { d.Spec.Name = "renamed" })
			_, _ = comparer.Reconcile(t.Context(), w.Request())
			assert.Equal(t, "False RateLimited", w.Condition(v1alpha1.ConditionReady))
			w.Takaro.RemoveFault(fault)
		})
	}
}
