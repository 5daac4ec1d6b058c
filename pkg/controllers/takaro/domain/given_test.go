// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// Another client changes the reference of the domain so that it belongs to another system.
func TestDomainGivenAwayIsLeftAlone(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	id := w.requireReady().Status.DomainID
	w.change(id, `{"externalReference":"theirs","name":"theirs"}`)
	controller = w.controller(w.Store)
	w.Once(controller)
	assert.Equal(t, "False ReferenceChanged", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, v1alpha1.DomainError, w.Object().Status.Phase)
	w.Delete()
	w.Once(controller)
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, 1, strings.Count(w.Message(v1alpha1.ConditionReady), "kubectl patch"), w.Message(v1alpha1.ConditionReady))
	after, _ := w.Takaro.Domain(id)
	assert.Equal(t, "theirs ACTIVE", after.Name+" "+after.State)
	w.change(id, fmt.Sprintf(`{"externalReference":%q}`, testReference))
	w.Clock.Step(problem.ForeignWait)
	w.Settle(controller)
	assert.Nil(t, w.Object())
	assert.Empty(t, w.ids())
}

// The cached list is older than the change of the reference.
func TestReferenceIsReadAgainBeforeItIsChanged(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("typed"))
	controller := w.controller(w.Store)
	w.Settle(controller)
	domain := w.requireReady()
	cached := recordOf(t, controller, domain, func(*string) {})
	cached.ExternalReference = nil // the content of the list
	controller.observer.put(keyOf(t, controller, domain), cached)
	w.change(domain.Status.DomainID, `{"externalReference":"theirs"}`)
	assert.Positive(t, w.Once(controller).RequeueAfter, "the next attempt begins with what Takaro has now")
	assert.Equal(t, "theirs", w.Takaro.Domains()[0].ExternalReference)
	w.Once(controller)
	assert.Equal(t, "False ReferenceChanged", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "theirs", w.Takaro.Domains()[0].ExternalReference)
}

// change changes a domain as an administrator of Takaro would.
func (w *world) change(id, body string) {
	w.T.Helper()
	request, err := http.NewRequestWithContext(w.T.Context(), http.MethodPut, w.Front.URL+"/domain/"+id, strings.NewReader(body))
	require.NoError(w.T, err)
	request.Header.Set("X-Takaro-Admin-Token", w.Takaro.AdminToken())
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.T, err)
	require.NoError(w.T, response.Body.Close())
	require.Equal(w.T, http.StatusOK, response.StatusCode)
}
