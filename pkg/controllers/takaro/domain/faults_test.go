// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func seed(reference string) standin.Seed {
	return standin.Seed{Name: "planted", ExternalReference: reference}
}

// halfMade runs a controller whose create request Takaro executes only in part.
func (w *world) halfMade() {
	w.T.Helper()
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultHalfMade, Method: http.MethodPost, Path: "/domain", Times: 1})
	require.NoError(w.T, err)
	_, err = w.controller(w.Store).Reconcile(w.T.Context(), w.Request())
	require.Error(w.T, err)
	require.Len(w.T, w.Takaro.Domains(), 1)
	require.False(w.T, w.Takaro.Domains()[0].HasRoot)
}

// Every request to Takaro fails once in every way, and the same process continues.
func TestEveryTakaroRequestFails(t *testing.T) {
	kinds := []standin.FaultKind{standin.FaultErrorBefore, standin.FaultErrorAfter, standin.FaultCutBefore, standin.FaultCutAfter,
		standin.FaultTooMany, standin.FaultBadGateway, standin.FaultTokenRevoked, standin.FaultHalfMade}
	for _, kind := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			for nth := 0; ; nth++ {
				w := newWorld(t)
				w.addDomain()
				var requests atomic.Int32
				w.Through = func(out http.ResponseWriter, in *http.Request) {
					if int(requests.Add(1)) == nth+1 {
						_, err := w.Takaro.InjectFault(standin.Fault{Kind: kind, Times: 1, RetryAfter: time.Second})
						require.NoError(w.T, err)
					}
					w.Takaro.ServeHTTP(out, in)
				}
				controller := w.controller(w.Store)
				w.Settle(controller)
				w.requireReady()
				w.requireRootLogin()
				w.Delete()
				w.Settle(controller)
				require.Nil(t, w.Object())
				require.Empty(t, w.Takaro.Domains())
				if int(requests.Load()) <= nth {
					require.Greater(t, nth, 3)
					return
				}
			}
		})
	}
}

// Every call to the API server fails once, with and without its effect, and the same process
// continues.
func TestEveryAPICallFails(t *testing.T) {
	storeBackoff.Duration = time.Millisecond
	failures := map[string]error{
		"conflict": apierrors.NewConflict(v1alpha1.Resource("domains"), testName, errors.New("it changed")),
		"internal": apierrors.NewInternalError(errors.New("etcd is slow")),
		"timeout":  context.DeadlineExceeded,
	}
	for _, when := range []controllertest.Moment{controllertest.Before, controllertest.After} {
		for name, failure := range failures {
			t.Run(name+" "+string(when), func(t *testing.T) {
				for nth := 1; ; nth++ {
					w := newWorld(t)
					w.addDomain()
					calls := 0
					fail := controllertest.Intercept(func(call func() error) error {
						if calls++; calls != nth {
							return call()
						}
						if when == controllertest.After {
							_ = call()
						}
						return failure
					})
					controller := w.controller(fail.Client(w.Store))
					w.Settle(controller)
					w.requireReady()
					w.requireRootLogin()
					w.Delete()
					w.Settle(controller)
					require.Nil(t, w.Object())
					require.Empty(t, w.Takaro.Domains())
					if calls < nth {
						require.Greater(t, nth, 10)
						return
					}
				}
			})
		}
	}
}
