// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// A Domain that waits for a create slot blocks no worker, sends no request to Takaro, and stores no
// intent.
func TestCreateWaitsForASlot(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	takaroClient := attemptOf(t, controller, w.Object()).Client
	var releases []func()
	for {
		release, err := takaroClient.CreateSlot(t.Context())
		if err != nil {
			break
		}
		releases = append(releases, release)
	}
	w.Takaro.ResetCounts()
	result := w.Once(controller)
	assert.Equal(t, slotWait, result.RequeueAfter)
	assert.Equal(t, "Unknown Reconciling", w.Condition(v1alpha1.ConditionReady))
	assert.Zero(t, w.Takaro.Count("", ""))
	assert.Empty(t, w.Object().Status.Ownership.Records)
	for _, release := range releases {
		release()
	}
	w.Settle(controller)
	w.requireReady()
	for range releases { // all slots are available again
		release, err := takaroClient.CreateSlot(t.Context())
		require.NoError(t, err)
		defer release()
	}
}

// An API server of another version, or with another --controller-user, drops the ledger.
func TestNothingIsCreatedWithoutALedger(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	dropping := interceptor.NewClient(w.Store, interceptor.Funcs{
		SubResourceUpdate: func(
			ctx context.Context, c client.Client, sub string, object client.Object, options ...client.SubResourceUpdateOption,
		) error {
			object.(*v1alpha1.Domain).Status.Ownership = nil
			return c.SubResource(sub).Update(ctx, object, options...)
		},
	})
	controller := w.controller(dropping)
	for range 3 {
		w.Once(controller)
	}
	assert.Equal(t, "False LedgerNotKept", w.Condition(v1alpha1.ConditionReady))
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), "--controller-user")
	assert.Zero(t, w.Takaro.Count(http.MethodPost, "/domain"))
}

// A search that returns fewer rows than Takaro counts is no evidence of absence.
func TestIncompleteSearchCreatesNothing(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	_, _, err := w.Takaro.PlantDomain(seed("another"))
	require.NoError(t, err)
	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTruncate, Path: "/domain/search", Rows: 0, Total: standin.TotalTrue})
	require.NoError(t, err)
	w.Through = func(out http.ResponseWriter, in *http.Request) { w.Takaro.ServeHTTP(out, in) }
	controller := w.controller(w.Store)
	_, _, err = w.Takaro.PlantDomain(seed(testReference))
	require.NoError(t, err)
	w.Once(controller)
	assert.Equal(t, "False SearchIncomplete", w.Condition(v1alpha1.ConditionReady))
	assert.Zero(t, w.Takaro.Count(http.MethodPost, "/domain"))
	w.Takaro.RemoveFault(fault)
}

// An incomplete shared list does not affect a domain that can be read by its id.
func TestIncompleteListLeavesReadyDomainsReady(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.Settle(w.controller(w.Store))
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTruncate, Path: "/domain/search"})
	require.NoError(t, err)
	w.Settle(w.controller(w.Store))
	w.requireReady()
}
