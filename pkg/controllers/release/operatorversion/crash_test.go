// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// killed is the panic value of a killed process.
type killed struct{}

// killedAt runs a controller until its nth call to the API server, and kills it before the call
// returns. effect is set if that call takes effect. killedAt reports whether the controller reached
// that call.
func (w *world) killedAt(nth int, effect bool, name string) (struck bool) {
	calls := 0
	api := controllertest.Intercept(func(call func() error) error {
		if calls++; calls < nth {
			return call()
		}
		if effect && calls == nth {
			_ = call()
		}
		panic(killed{})
	}).Client(w.Store)
	defer func() {
		if problem := recover(); problem != nil {
			if problem != (killed{}) {
				panic(problem)
			}
			struck = true
		}
	}()
	w.settle(w.controller(api), name)
	return false
}

func TestAControllerThatIsKilledAtEveryCall(t *testing.T) {
	for _, effect := range []bool{false, true} {
		for nth := 1; ; nth++ {
			w := newWorld(t)
			digest := w.Serve("1.0.0", two())
			name := w.version("1.0.0")
			struck := w.killedAt(nth, effect, name)
			if !struck {
				require.Greater(t, nth, 8, "the run makes calls")
				break
			}
			w.settle(w.controller(w.Store), name)
			require.Equal(t, "True AsSpecified", w.condition(name, v1alpha1.ConditionReady), "call %d", nth)
			require.Equal(t, digest, w.get(name).Status.ChartDigest)
			require.Equal(t, 2, w.made, "each is made once")
			require.Len(t, w.get(name).Status.CRDs, 2)
		}
	}
}

// A chart that is replaced between two runs of the controller is not mixed with the first one.
func TestAChartThatChangesWhileTheControllerIsDead(t *testing.T) {
	for nth := 1; ; nth++ {
		w := newWorld(t)
		first := w.Serve("1.0.0", two())
		name := w.version("1.0.0")
		if !w.killedAt(nth, true, name) {
			return
		}
		other := w.Serve("1.0.0", map[string]string{"crds/widgets.yaml": definition("widgets", "changed")})
		r := w.controller(w.Store)
		_, _ = r.Reconcile(t.Context(), request(name))
		status := w.get(name).Status
		switch status.ChartDigest {
		case first:
			if w.made < 2 {
				require.Equal(t, "False ChartDigestChanged", w.condition(name, v1alpha1.ConditionReady), "call %d", nth)
			}
		case other:
			require.Equal(t, []string{name + ".widgets.example.com"}, w.Names(&v1alpha1.CRDSchemaList{}), "call %d", nth)
		default:
			require.Fail(t, "no digest", "call %d: %q", nth, status.ChartDigest)
		}
	}
}
