// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// TestStrangerBetweenSearchAndCreate plants a foreign domain under the typed reference after it was searched for in vain.
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
	ready := meta.FindStatusCondition(w.Object().Status.Conditions, v1alpha1.ConditionReady)
	require.Equal(t, v1alpha1.ReasonExternalReferenceTaken, ready.Reason, ready.Message)
	require.Empty(t, w.Object().Status.ExternalReferenceID, "it must not look like ours")

	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	w.Settle(r)
	_, lives := w.Takaro.Domain(planted)
	require.True(t, lives, "the stranger's domain must outlive the object")
}

// TestTroubleIsToldOnce sees that an event comes when the reason changes, and not with every attempt.
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
	w.Clock.Step(refusedWait)
	w.Settle(r)
	var reasons []string
	for _, event := range w.Events() {
		reasons = append(reasons, strings.Join(strings.Fields(event)[:2], " "))
	}
	require.Equal(t, []string{"Warning AdminTokenRefused", "Normal DomainCreated", "Normal Recovered"}, reasons)
}
