// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// KillEvery runs controllers that use only the API server. They are killed at their first call to
// it, at their second, and so on, before and after it has its effect, until a run completes before
// that. fresh returns the stored objects, run lets new controllers reconcile until they are idle,
// and check verifies the state that the next controllers reach. least is the minimum number of
// calls of a run.
func KillEvery(t *testing.T, least int, fresh func() client.WithWatch, run func(client.WithWatch), check func(client.WithWatch)) {
	t.Helper()
	for _, when := range []Moment{Before, After} {
		for nth := 1; ; nth += stride() {
			store := fresh()
			calls, dead := 0, false
			api := Intercept(func(call func() error) error {
				calls++
				if calls < nth {
					return call()
				}
				if calls == nth && when == After {
					_ = call()
				}
				dead = true
				panic(killed{})
			}).Client(store)
			survive(func() { run(api) })
			if !dead {
				require.Greater(t, nth, least, "the run makes calls")
				break
			}
			t.Logf("killed %s call %d", when, nth)
			run(store)
			check(store)
		}
	}
}

// survive calls a function that may be killed.
func survive(do func()) {
	defer func() {
		if problem := recover(); problem != nil && problem != (killed{}) {
			panic(problem)
		}
	}()
	do()
}
