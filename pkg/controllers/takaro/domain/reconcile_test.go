// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func TestNothingIsWrittenWhenNothingChanged(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.Settle(w.controller(w.Store))
	w.Events()
	w.Takaro.ResetCounts()
	before := w.Object().ResourceVersion
	writes := controllertest.ReadOnly(t, w.Store)
	again := w.controller(writes)
	for range 3 {
		w.Settle(again)
	}
	assert.Equal(t, before, w.Object().ResourceVersion)
	assert.Equal(t, 1, w.Takaro.Count("", ""), "one list")
	assert.Empty(t, w.Events())
}

func TestSpecIsCarriedOutAndDriftPutBack(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.Events()
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.Name, d.Spec.MaintenanceMode = "renamed", true })
	w.Settle(controller)
	domain := w.requireReady()
	assert.Equal(t, domain.Generation, domain.Status.ObservedGeneration)
	made := w.Takaro.Domains()[0]
	assert.Equal(t, "renamed MAINTENANCE", made.Name+" "+made.State)
	assert.Empty(t, w.Events(), "a new spec is carried out silently")

	controller.observer.put(keyOf(t, controller, domain), recordOf(t, controller, domain, func(name *string) { *name = "drifted" }))
	w.Settle(controller)
	assert.Contains(t, w.Events()[0], "DriftCorrected")
}

func TestDomainDeletedDuringAnUpdateIsCreatedAgain(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	first := w.Object().Status.DomainID
	w.Takaro.RemoveDomain(first)
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.Name = "renamed" })
	w.Settle(controller)
	assert.NotEqual(t, first, w.requireReady().Status.DomainID)
	w.requireRootLogin()
}

func TestForeignDomainsAreNotTouched(t *testing.T) {
	w := newWorld(t)
	theirs, _, err := w.Takaro.PlantDomain(seed("theirs"))
	require.NoError(t, err)
	w.addDomain(withReference("theirs"))
	controller := w.controller(w.Store)
	result, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, problem.ForeignWait, result.RequeueAfter)
	assert.Equal(t, "False ExternalReferenceTaken", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, v1alpha1.DomainError, w.Object().Status.Phase)
	w.Delete()
	w.Settle(controller)
	assert.Nil(t, w.Object())
	after, ok := w.Takaro.Domain(theirs.ID)
	assert.True(t, ok)
	assert.Equal(t, theirs, after)
}

func TestAdoptWaitsAndLeavesLimitsAlone(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("theirs"), adopting)
	controller := w.controller(w.Store)
	_, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, "False ExternalReferenceNotFound", w.Condition(v1alpha1.ConditionReady))
	assert.Empty(t, w.Takaro.Domains())
	_, _, err = w.Takaro.PlantDomain(standin.Seed{Name: "planted", ExternalReference: "theirs", MaxUsers: 3, MaxGameServers: 4})
	require.NoError(t, err)
	w.Settle(controller)
	w.requireReady()
	made := w.Takaro.Domains()[0]
	assert.Equal(t, []int{3, 4}, []int{made.MaxUsers, made.MaxGameServers})
	events := w.Events()
	require.Len(t, events, 4)
	for i, reason := range []string{"Warning ExternalReferenceNotFound", "Normal DomainAdopted", "Normal DriftCorrected", "Normal Recovered"} {
		assert.Contains(t, events[i], reason)
	}
}

func TestSecretNameTakenBeforeAnythingIsMade(t *testing.T) {
	for _, suffix := range []string{rootSuffix, v1alpha1.RegistrationSecretSuffix} {
		w := newWorld(t)
		stranger := controllertest.NewSecret(controllertest.Namespace, testName+suffix, nil, map[string]string{"mine": "keep"})
		w.Add(stranger)
		w.addDomain()
		controller := w.controller(w.Store)
		w.Settle(controller)
		assert.Equal(t, "False SecretNameTaken", w.Condition(v1alpha1.ConditionReady))
		assert.Empty(t, w.Takaro.Domains(), "nothing is made whose password could not be stored")
		assert.Equal(t, "keep", string(w.Secret(stranger.Name).Data["mine"]))
		require.NoError(t, w.Store.Delete(t.Context(), stranger))
		w.Settle(controller)
		w.requireReady()
		w.requireRootLogin()
	}
}

func TestDeletedSecrets(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	require.NoError(t, w.Store.Delete(t.Context(), w.Secret(testName+v1alpha1.RegistrationSecretSuffix)))
	require.NoError(t, w.Store.Delete(t.Context(), w.Secret(testName+rootSuffix)))
	w.Settle(controller)
	domain := w.requireReady() // the registration token exists again
	assert.Equal(t, "False RootPasswordLost", w.Condition(v1alpha1.ConditionRootCredentials))
	assert.Nil(t, domain.Status.RootCredentialsSecretRef)
	assert.NotNil(t, domain.Status.RegistrationTokenSecretRef)
}

func TestSecretsAreOwnedAndComplete(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.Settle(w.controller(w.Store))
	keys := func(s *corev1.Secret) (names []string) {
		for name := range s.Data {
			names = append(names, name)
		}
		return names
	}
	root, registration := w.Secret(testName+rootSuffix), w.Secret(testName+v1alpha1.RegistrationSecretSuffix)
	assert.ElementsMatch(t, []string{"username", "password", "domainId", "takaroApiUrl"}, keys(root))
	assert.ElementsMatch(t, []string{"token", "domainId", "takaroApiUrl"}, keys(registration))
	for _, made := range []*corev1.Secret{root, registration} {
		assert.Equal(t, testUID, made.OwnerReferences[0].UID)
		assert.Equal(t, secrets.ManagedByValue, made.Labels[secrets.ManagedByLabel])
	}
	assert.Contains(t, w.Secret(credentials).Finalizers, secrets.InUseFinalizer)
}

func TestDeletionPolicies(t *testing.T) {
	for policy, want := range map[v1alpha1.DeletionPolicy]struct{ state, event string }{
		v1alpha1.DeletionPolicyDelete:  {"", "DomainDeleted"},
		v1alpha1.DeletionPolicyDisable: {"DISABLED", "DomainDisabled"},
		v1alpha1.DeletionPolicyRetain:  {"ACTIVE", "LeftInTakaro"},
	} {
		w := newWorld(t)
		w.addDomain()
		controller := w.controller(w.Store)
		w.Settle(controller)
		id := w.Object().Status.DomainID
		w.Events()
		w.Edit(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = policy })
		w.Delete()
		w.Settle(controller)
		assert.Nil(t, w.Object())
		after, _ := w.Takaro.Domain(id)
		assert.Equal(t, want.state, after.State, policy)
		said := w.Events()
		require.Len(t, said, 1)
		assert.Contains(t, said[0], want.event)
		assert.Contains(t, said[0], id)
	}
}

func TestBlockedDeletionSaysHowToLetGo(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.Takaro.SetAdminToken("another")
	w.Delete()
	result, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.InDelta(t, problem.RefusedWait, result.RequeueAfter, 0.2*float64(problem.RefusedWait))
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "False AdminTokenRefused", w.Condition(v1alpha1.ConditionEndpointReady))
	assert.Contains(t, w.Message(v1alpha1.ConditionReady), `put a valid admin token into Secret "team/`+credentials+
		`" under key "adminToken". To end the deletion`)
	assert.Contains(t, w.Message(v1alpha1.ConditionReady),
		`kubectl patch domains.takaro.roadstead.dev arena -n team --type=merge -p '{"spec":{"deletionPolicy":"Retain"}}'`)
	before := w.Takaro.Count("", "")
	_, err = controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, before, w.Takaro.Count("", ""), "a refused token is not tried again at once")
	w.Edit(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
	w.Settle(controller)
	assert.Nil(t, w.Object())
	assert.Len(t, w.Takaro.Domains(), 1)
}

func TestSlowCreateOfNothingIsStillFoundByDeletion(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	_, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultCutBefore, Method: http.MethodPost, Path: "/domain", Times: 1})
	require.NoError(t, err)
	controller := w.controller(w.Store)
	_, err = controller.Reconcile(t.Context(), w.Request())
	require.Error(t, err)
	w.Delete()
	result, err := controller.Reconcile(t.Context(), w.Request())
	require.NoError(t, err)
	assert.Equal(t, "False CreateUnclear", w.Condition(v1alpha1.ConditionSynced))
	assert.Equal(t, unclearWait, result.RequeueAfter)
	// The earlier request takes effect after all.
	_, _, err = w.Takaro.PlantDomain(seed(testReference))
	require.NoError(t, err)
	w.Settle(controller)
	assert.Nil(t, w.Object())
	assert.Empty(t, w.Takaro.Domains())
}
