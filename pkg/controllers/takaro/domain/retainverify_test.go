// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// storing enables the controller to store TakaroEndpoints. If verifies is false, no Takaro is ever
// verified.
func (w *world) storing(controller *reconciler, verifies bool) *reconciler {
	w.T.Helper()
	parts := w.Parts(w.Store)
	config := takaroendpoint.Config{
		Client: w.Store, Live: w.Store, Recorder: w.Recorder, Namespace: controllertest.System, Installation: "unit", Clock: w.Clock,
	}
	if !verifies {
		config.Pool, config.Endpoints = parts.Pool, parts.Endpoints
	}
	controller.Keeper = takaroendpoint.New(config)
	controller.Keeper.Lead()
	return controller
}

func (w *world) left() []string {
	w.T.Helper()
	list := &v1alpha1.TakaroEndpointList{}
	require.NoError(w.T, w.Store.List(w.T.Context(), list))
	var ids []string
	for i := range list.Items {
		for _, left := range list.Items[i].Status.Left {
			ids = append(ids, left.ID)
		}
	}
	return ids
}

// retained returns the id of the Takaro domain of a Domain that is Ready and is deleted with
// Retain.
func retained(t *testing.T) (w *world, id string) {
	t.Helper()
	w = newWorld(t)
	w.addDomain(policy(v1alpha1.DeletionPolicyRetain))
	w.Settle(w.controller(w.Store))
	id = w.requireReady().Status.DomainID
	w.Delete()
	return w, id
}

// TestRetainAwaitsIdentity covers a controller that was just started and can mark a retained domain
// within a few seconds.
func TestRetainAwaitsIdentity(t *testing.T) {
	w, id := retained(t)
	controller := w.storing(w.controller(w.Store), false)
	w.Once(controller)
	require.NotNil(t, w.Object())
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), "is being verified")
	assert.NotContains(t, w.Message(v1alpha1.ConditionReady), "kubectl", "it is retained already")
	assert.Empty(t, w.left())

	w.Clock.Step(identityLimit)
	w.Once(controller)
	require.Nil(t, w.Object(), "to retain needs no answer")
	assert.Equal(t, []string{id}, w.left())
}

// TestRetainRecordsWhatItCannotMark covers a token that was rejected before and is not tried again.
func TestRetainRecordsWhatItCannotMark(t *testing.T) {
	w, id := retained(t)
	controller := w.storing(w.controller(w.Store), true)
	resolved, err := controller.Endpoints.Resolve(t.Context(), w.Object())
	require.NoError(t, err)
	_, err = w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTokenRevoked})
	require.NoError(t, err)
	client, err := controller.Pool.Client(resolved.Endpoint)
	require.NoError(t, err)
	_, refused := client.SearchDomains(t.Context(), takaro.DomainSearch{})
	controller.observer.refuse(endpoint.KeyOf(resolved.Endpoint), refused)
	w.Once(controller)
	require.Nil(t, w.Object())
	assert.Equal(t, []string{id}, w.left())
}
