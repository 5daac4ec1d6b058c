// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// KillEvery runs controllers that know nothing but the API server, which are killed at their first call to it, at their
// second, and so on, before and after it has its effect, until they come to rest before. fresh makes the stored objects, run
// lets new controllers work until they rest, and check looks at what the next ones made of it. least is how many calls a run
// makes at least.
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

// survive does something that may be killed.
func survive(do func()) {
	defer func() {
		if problem := recover(); problem != nil && problem != (killed{}) {
			panic(problem)
		}
	}()
	do()
}
