// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Dial allows controllers to connect to the stand-ins, which listen on loopback.
var Dial = netguard.Policy{AllowLoopback: true, AllowPrivate: true}

// Parts are the dependencies of the controllers of all kinds. Their state is lost with the
// controller.
type Parts struct {
	Secrets   *secrets.Owned
	Protector *secrets.Protector
	Endpoints *endpoint.Resolver
	Pool      *takaro.Pool
}

// Parts returns the parts of a new controller with a client of the API server.
func (w *World[T]) Parts(api client.Client) Parts {
	w.T.Helper()
	pool := takaro.NewPool(takaro.Options{QPS: 1e6, Burst: 1e6, Timeout: 5 * time.Second, RetryBase: time.Millisecond,
		TokenHold: time.Microsecond, FailureThreshold: 1000, Dial: Dial})
	w.T.Cleanup(pool.Close)
	held := secrets.Within(api, w.SecretNamespaces)
	reader := secrets.NewReader(held, held)
	return Parts{
		Secrets: secrets.NewOwned(reader, api), Protector: secrets.NewProtector(held, api),
		Endpoints: endpoint.NewResolver(api, reader, System, nil), Pool: pool,
	}
}

// Settle reconciles until nothing is left to do, and advances the clock by the delays that the
// controller returns. It calls between after each run.
func (w *World[T]) Settle(controller reconcile.Reconciler, between ...func()) {
	w.T.Helper()
	for range 40 {
		result, err := controller.Reconcile(w.T.Context(), w.Request())
		for _, do := range between {
			do()
		}
		if w.rests(result, err) {
			return
		}
	}
	require.FailNow(w.T, "it does not come to rest", "%+v", w.Object())
}

// rests reports whether nothing is left to do after a run. Otherwise it advances the clock to the
// next run.
func (w *World[T]) rests(result reconcile.Result, err error) bool {
	w.T.Helper()
	require.False(w.T, err != nil && !result.IsZero(),
		"controller-runtime ignores the result of an error, and warns of it: %v, %v", result, err)
	switch {
	case err != nil:
		w.Clock.Step(time.Second)
	case result.RequeueAfter > 0:
		w.Clock.Step(result.RequeueAfter)
	default:
		return true
	}
	return false
}

// Once reconciles an object that waits for something.
func (w *World[T]) Once(controller reconcile.Reconciler) reconcile.Result {
	w.T.Helper()
	result, err := controller.Reconcile(w.T.Context(), w.Request())
	require.NoError(w.T, err)
	return result
}
