// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// TestStrangerBetweenSearchAndCreate adds a foreign domain with the user-specified reference after
// the search that did not find one.
func TestStrangerBetweenSearchAndCreate(t *testing.T) {
	w := newWorld(t)
	planted := ""
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.Method == http.MethodPost && in.URL.Path == "/domain" && planted == "" {
			stranger, _, err := w.Takaro.PlantDomain(standin.Seed{ExternalReference: "wanted"})
			require.NoError(t, err)
			planted = stranger.ID
		}
		w.Takaro.ServeHTTP(out, in)
	}
	w.addDomain(withReference("wanted"))
	r := w.controller(w.Store)
	for range 3 {
		_, err := r.Reconcile(t.Context(), w.Request())
		require.NoError(t, err)
	}
	require.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
	require.Contains(t, w.Message(v1alpha1.ConditionReady), "spec.deletionPolicy: Retain")
	object := w.Object()
	require.NotEqual(t, planted, object.Status.DomainID, "it must not look like ours")
	require.Equal(t, testReference, object.Status.ExternalReferenceID, "the domain that was created keeps its create key")
	w.requireRootStored(object.Status.DomainID)

	require.NoError(t, w.Store.Delete(t.Context(), object))
	w.Settle(r)
	require.Equal(t, []string{planted}, w.ids(), "only the stranger's domain outlives the object")
}

// TestStrangerLeaves checks that the user-specified reference is set once it is available.
func TestStrangerLeaves(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("wanted"))
	var stranger standin.Domain
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.Method == http.MethodPut && stranger.ID == "" {
			planted, _, err := w.Takaro.PlantDomain(seed("wanted"))
			require.NoError(t, err)
			stranger = planted
		}
		w.Takaro.ServeHTTP(out, in)
	}
	r := w.controller(w.Store)
	w.Once(r)
	require.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
	require.True(t, w.Takaro.RemoveDomain(stranger.ID))
	w.Settle(r)
	require.Equal(t, "wanted", w.requireReady().Status.ExternalReferenceID)
	w.requireRootLogin()
}

// TestTroubleIsToldOnce checks that an event is emitted when the reason changes, and not at every
// attempt.
func TestTroubleIsToldOnce(t *testing.T) {
	w := newWorld(t)
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTokenRevoked})
	require.NoError(t, err)
	w.addDomain()
	r := w.controller(w.Store)
	for range 3 {
		_, _ = r.Reconcile(t.Context(), w.Request())
	}
	w.Takaro.ClearFaults()
	w.Clock.Step(problem.RefusedWait)
	w.Settle(r)
	var reasons []string
	for _, event := range w.Events() {
		reasons = append(reasons, strings.Join(strings.Fields(event)[:2], " "))
	}
	require.Equal(t, []string{"Warning AdminTokenRefused", "Normal DomainCreated", "Normal Recovered"}, reasons)
}
