// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// refusedThenPlanted returns a Domain whose create Takaro rejected before a foreign domain took its
// user-specified reference.
func refusedThenPlanted(t *testing.T, kind standin.FaultKind) *world {
	w := newWorld(t)
	w.addDomain(withReference("team-x"))
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: kind, Method: http.MethodPost, Path: "/domain", Times: 1})
	require.NoError(t, err)
	_, _ = w.controller(w.Store).Reconcile(t.Context(), w.Request())
	require.Empty(t, w.Takaro.Domains())
	require.Empty(t, w.Object().Status.Ownership.Records, "the intent ends with a clear refusal")
	_, _, err = w.Takaro.PlantDomain(standin.Seed{Name: "production", ExternalReference: "team-x"})
	require.NoError(t, err)
	return w
}

func TestStrangerAfterARefusedCreateIsLeftAlone(t *testing.T) {
	for _, kind := range []standin.FaultKind{standin.FaultTooMany, standin.FaultTokenRevoked} {
		t.Run(string(kind), func(t *testing.T) {
			w := refusedThenPlanted(t, kind)
			before := w.Takaro.Domains()
			controller := w.controller(w.Store)
			w.Clock.Step(time.Minute)
			w.Once(controller)
			assert.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
			w.Delete()
			w.Settle(controller)
			require.Nil(t, w.Object())
			assert.Equal(t, before, w.Takaro.Domains(), "neither changed nor deleted")
		})
	}
}

// A known id is missing, and a foreign domain has the user-specified reference.
func TestStrangerUnderTheReferenceOfAVanishedDomainIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("team-x"))
	controller := w.controller(w.Store)
	w.Settle(controller)
	stranger, err := w.Takaro.PlantStranger(standin.Stranger{Reference: "team-x", Replace: true})
	require.NoError(t, err)
	controller = w.controller(w.Store)
	for range 10 {
		result := w.Once(controller)
		w.compareVanished()
		w.Clock.Step(result.RequeueAfter)
	}
	assert.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
	w.Delete()
	w.Settle(controller)
	require.Nil(t, w.Object())
	after, lives := w.Takaro.Domain(stranger.ID)
	assert.True(t, lives)
	assert.Equal(t, stranger, after)
}

func envelope(status int, body string) func(http.ResponseWriter) {
	return func(out http.ResponseWriter) {
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(status)
		_, _ = out.Write([]byte(body))
	}
}

// emptyAndReadOnly simulates a Takaro during a restore.
func emptyAndReadOnly(out http.ResponseWriter, in *http.Request) {
	switch {
	case in.Method == http.MethodGet && strings.HasPrefix(in.URL.Path, "/domain/"):
		envelope(404, `{"meta":{"error":{"code":"NotFoundError","message":"Domain not found"}},"data":{}}`)(out)
	case in.URL.Path == "/domain/search":
		envelope(200, `{"meta":{"page":0,"limit":1000,"total":0},"data":[]}`)(out)
	default:
		envelope(500, `{"meta":{"error":{"code":"InternalServerError","message":"read-only"}},"data":{}}`)(out)
	}
}

// A domain in use, whose root Secret was deleted long ago, must survive a period in which Takaro
// seems to be empty.
func TestDomainInUseIsNotRemoved(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	id := w.requireReady().Status.DomainID
	require.NoError(t, w.Store.Delete(t.Context(), w.Secret(testName+rootSuffix)))
	w.Settle(controller)

	w.Through = emptyAndReadOnly
	controller = w.controller(w.Store)
	for range 10 { // longer than the wait for a missing domain
		result, _ := controller.Reconcile(t.Context(), w.Request())
		w.comparedAs(func(string) bool { return false })
		w.Clock.Step(result.RequeueAfter + 10*time.Second)
	}
	require.Empty(t, w.Object().Status.DomainID, "it is lost, and a create was tried")
	w.Through = w.Takaro.ServeHTTP
	w.Settle(controller)
	assert.Equal(t, id, w.requireReady().Status.DomainID)
	assert.Equal(t, []string{id}, w.ids())
}

// The address refers to another database for a while, and back again: the root password of each
// must stay known.
func TestRootPasswordSurvivesAnotherDatabase(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.Settle(w.controller(w.Store))
	first := w.requireReady().Status.DomainID
	before := w.Secret(testName + rootSuffix).Data
	// The Domain of this test has its own credentials, which are not covered by alerts.
	lost := func(scope string) float64 { return testutil.ToFloat64(counts.Lost.WithLabelValues("Domain", scope)) }
	installation, tenant := lost(hold.ScopeInstallation), lost(hold.ScopeTenant)

	former, other := w.Takaro.SwapDatabase("other", false)
	w.Settle(w.controller(w.Store))
	second := w.requireReady().Status.DomainID
	require.NotEqual(t, first, second)
	assert.InDelta(t, tenant+1, lost(hold.ScopeTenant), 0)
	assert.InDelta(t, installation, lost(hold.ScopeInstallation), 0)
	w.requireRootLogin()
	there := w.Secret(testName + rootSuffix).Data
	assert.Equal(t, before[keyPassword], there["password."+first])
	assert.Equal(t, before[keyUsername], there["username."+first])
	assert.Contains(t, strings.Join(w.Events(), "\n"), "Warning DomainVanished Takaro domain "+first)

	w.Takaro.SwapDatabase(former, false)
	w.Settle(w.controller(w.Store))
	assert.Equal(t, first, w.requireReady().Status.DomainID)
	w.requireRootLogin()
	back := w.Secret(testName + rootSuffix).Data
	assert.Equal(t, before[keyPassword], back[keyPassword])
	assert.Equal(t, there[keyPassword], back["password."+second])
	assert.Contains(t, strings.Join(w.Events(), "\n"), "Normal DomainRegained Takaro domain "+first)

	w.Takaro.SwapDatabase(other, false)
	w.Settle(w.controller(w.Store))
	assert.Equal(t, second, w.requireReady().Status.DomainID, "nothing is created a second time")
	w.requireRootLogin()
}

// A domain that is missing for less than a minute is not created again.
func TestShortAbsenceChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.Settle(w.controller(w.Store))
	id := w.requireReady().Status.DomainID
	former, _ := w.Takaro.SwapDatabase("other", true)
	controller := w.controller(w.Store)
	result := w.Once(controller)
	assert.Equal(t, ownership.VanishedWindow, result.RequeueAfter)
	assert.Equal(t, "False Vanished", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "True EndpointAnswers", w.Condition(v1alpha1.ConditionEndpointReady))
	assert.Equal(t, id, w.Object().Status.DomainID)
	w.compareVanished()
	w.Clock.Step(ownership.VanishedWindow / 2)
	w.Once(controller)
	assert.Empty(t, w.Takaro.Domains())
	w.Takaro.SwapDatabase(former, true)
	w.compareVanished()
	w.Settle(w.controller(w.Store))
	assert.Equal(t, id, w.requireReady().Status.DomainID)
}

// A status that was copied from another object, or edited, is no evidence.
func TestStatusFromElsewhereIsNoEvidence(t *testing.T) {
	for _, reference := range []string{"", "typed"} {
		t.Run("reference "+reference, func(t *testing.T) {
			w := newWorld(t)
			theirs, _, err := w.Takaro.PlantDomain(seed("roadstead:unit:99999999-2222-3333-4444-555555555555"))
			require.NoError(t, err)
			w.addDomain(withReference(reference))
			object := w.Object()
			object.Status.DomainID, object.Status.ExternalReferenceID = theirs.ID, theirs.ExternalReference
			require.NoError(t, w.Store.Status().Update(t.Context(), object))
			controller := w.controller(w.Store)
			w.Settle(controller)
			assert.NotEqual(t, theirs.ID, w.Object().Status.DomainID)
			after, _ := w.Takaro.Domain(theirs.ID)
			assert.Equal(t, theirs, after)
			object = w.Object()
			object.Status.DomainID = theirs.ID
			require.NoError(t, w.Store.Status().Update(t.Context(), object))
			w.Delete()
			w.Settle(controller)
			assert.Nil(t, w.Object())
			assert.Equal(t, []string{theirs.ID}, w.ids())
		})
	}
}
