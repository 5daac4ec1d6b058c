// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// edit changes the stored Domain's spec.
func (w *world) edit(change func(*v1alpha1.Domain)) {
	w.t.Helper()
	domain := w.domain()
	change(domain)
	domain.Generation++
	require.NoError(w.t, w.store.Update(w.t.Context(), domain))
}

func told(r *reconciler) []string {
	var all []string
	for {
		select {
		case text := <-r.recorder.(*events.FakeRecorder).Events:
			all = append(all, text)
		default:
			return all
		}
	}
}

func TestNothingIsWrittenWhenNothingChanged(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.settle(w.controller(w.store))
	w.takaro.ResetCounts()
	before := w.domain().ResourceVersion
	writes := interceptor.NewClient(w.store, readOnly(t))
	again := w.controller(writes)
	for range 3 {
		w.settle(again)
	}
	assert.Equal(t, before, w.domain().ResourceVersion)
	assert.Equal(t, 1, w.takaro.Count("", ""), "one list")
	assert.Empty(t, told(again))
}

func TestSpecIsCarriedOutAndDriftPutBack(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.store)
	w.settle(controller)
	told(controller)
	w.edit(func(d *v1alpha1.Domain) { d.Spec.Name, d.Spec.MaintenanceMode = "renamed", true })
	w.settle(controller)
	domain := w.requireReady()
	assert.Equal(t, domain.Generation, domain.Status.ObservedGeneration)
	made := w.takaro.Domains()[0]
	assert.Equal(t, "renamed MAINTENANCE", made.Name+" "+made.State)
	assert.Empty(t, told(controller), "a new spec is carried out silently")

	controller.observer.put(keyOf(t, controller, domain), recordOf(t, controller, domain, func(name *string) { *name = "drifted" }))
	w.settle(controller)
	assert.Contains(t, told(controller)[0], "DriftCorrected")
}

func TestDomainThatGoesDuringAnUpdateIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.store)
	w.settle(controller)
	first := w.domain().Status.DomainID
	w.takaro.RemoveDomain(first)
	w.edit(func(d *v1alpha1.Domain) { d.Spec.Name = "renamed" })
	w.settle(controller)
	assert.NotEqual(t, first, w.requireReady().Status.DomainID)
	w.requireRootLogin()
}

func TestForeignDomainsAreNotTouched(t *testing.T) {
	w := newWorld(t)
	theirs, _, err := w.takaro.PlantDomain(seed("theirs"))
	require.NoError(t, err)
	w.addDomain(withReference("theirs"))
	controller := w.controller(w.store)
	result, err := controller.Reconcile(t.Context(), testRequest)
	require.NoError(t, err)
	assert.Equal(t, foreignWait, result.RequeueAfter)
	assert.Equal(t, "False ExternalReferenceTaken", w.condition(v1alpha1.ConditionReady))
	assert.Equal(t, v1alpha1.DomainError, w.domain().Status.Phase)
	w.delete()
	w.settle(controller)
	assert.Nil(t, w.domain())
	after, ok := w.takaro.Domain(theirs.ID)
	assert.True(t, ok)
	assert.Equal(t, theirs, after)
}

func TestAdoptWaitsAndLeavesLimitsAlone(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("theirs"), adopting)
	controller := w.controller(w.store)
	_, err := controller.Reconcile(t.Context(), testRequest)
	require.NoError(t, err)
	assert.Equal(t, "False ExternalReferenceNotFound", w.condition(v1alpha1.ConditionReady))
	assert.Empty(t, w.takaro.Domains())
	_, _, err = w.takaro.PlantDomain(standin.Seed{Name: "planted", ExternalReference: "theirs", MaxUsers: 3, MaxGameServers: 4})
	require.NoError(t, err)
	w.settle(controller)
	w.requireReady()
	made := w.takaro.Domains()[0]
	assert.Equal(t, []int{3, 4}, []int{made.MaxUsers, made.MaxGameServers})
	events := told(controller)
	require.Len(t, events, 4)
	for i, reason := range []string{"Warning ExternalReferenceNotFound", "Normal DomainAdopted", "Normal DriftCorrected", "Normal Recovered"} {
		assert.Contains(t, events[i], reason)
	}
}

func TestTypedHalfMadeIsLeftToAPerson(t *testing.T) {
	w := newWorld(t)
	w.addDomain(withReference("typed"))
	w.halfMade()
	_, err := w.controller(w.store).Reconcile(t.Context(), testRequest)
	require.NoError(t, err)
	assert.Equal(t, "False DomainIncomplete", w.condition(v1alpha1.ConditionReady))
	require.Len(t, w.takaro.Domains(), 1)
	w.takaro.RemoveDomain(w.takaro.Domains()[0].ID)
	w.settle(w.controller(w.store))
	w.requireReady()
	w.requireRootLogin()
}

func TestSecretNameTakenBeforeAnythingIsMade(t *testing.T) {
	for _, suffix := range []string{rootSuffix, registrationSuffix} {
		w := newWorld(t)
		stranger := secret(testNamespace, testName+suffix, nil, map[string]string{"mine": "keep"})
		w.add(stranger)
		w.addDomain()
		controller := w.controller(w.store)
		w.settle(controller)
		assert.Equal(t, "False SecretNameTaken", w.condition(v1alpha1.ConditionReady))
		assert.Empty(t, w.takaro.Domains(), "nothing is made whose password could not be stored")
		assert.Equal(t, "keep", string(w.secret(stranger.Name).Data["mine"]))
		require.NoError(t, w.store.Delete(t.Context(), stranger))
		w.settle(controller)
		w.requireReady()
		w.requireRootLogin()
	}
}

func TestDeletedSecrets(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.store)
	w.settle(controller)
	require.NoError(t, w.store.Delete(t.Context(), w.secret(testName+registrationSuffix)))
	require.NoError(t, w.store.Delete(t.Context(), w.secret(testName+rootSuffix)))
	w.settle(controller)
	domain := w.requireReady() // the registration token is there again
	assert.Equal(t, "False RootPasswordLost", w.condition(v1alpha1.ConditionRootCredentials))
	assert.Nil(t, domain.Status.RootCredentialsSecretRef)
	assert.NotNil(t, domain.Status.RegistrationTokenSecretRef)
}

func TestSecretsAreOwnedAndComplete(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	w.settle(w.controller(w.store))
	keys := func(s *corev1.Secret) (names []string) {
		for name := range s.Data {
			names = append(names, name)
		}
		return names
	}
	root, registration := w.secret(testName+rootSuffix), w.secret(testName+registrationSuffix)
	assert.ElementsMatch(t, []string{"username", "password", "domainId", "takaroApiUrl"}, keys(root))
	assert.ElementsMatch(t, []string{"token", "domainId", "takaroApiUrl"}, keys(registration))
	for _, made := range []*corev1.Secret{root, registration} {
		assert.Equal(t, testUID, made.OwnerReferences[0].UID)
		assert.Equal(t, secrets.ManagedByValue, made.Labels[secrets.ManagedByLabel])
	}
	assert.Contains(t, w.secret(credentials).Finalizers, secrets.InUseFinalizer)
}

func TestDeletionPolicies(t *testing.T) {
	for policy, want := range map[v1alpha1.DeletionPolicy]struct{ state, event string }{
		v1alpha1.DeletionPolicyDelete:  {"", "DomainDeleted"},
		v1alpha1.DeletionPolicyDisable: {"DISABLED", "DomainDisabled"},
		v1alpha1.DeletionPolicyRetain:  {"ACTIVE", "LeftInTakaro"},
	} {
		w := newWorld(t)
		w.addDomain()
		controller := w.controller(w.store)
		w.settle(controller)
		id := w.domain().Status.DomainID
		told(controller)
		w.edit(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = policy })
		w.delete()
		w.settle(controller)
		assert.Nil(t, w.domain())
		after, _ := w.takaro.Domain(id)
		assert.Equal(t, want.state, after.State, policy)
		said := told(controller)
		require.Len(t, said, 1)
		assert.Contains(t, said[0], want.event)
		assert.Contains(t, said[0], id)
	}
}

func TestBlockedDeletionSaysHowToLetGo(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	controller := w.controller(w.store)
	w.settle(controller)
	w.takaro.SetAdminToken("another")
	w.delete()
	result, err := controller.Reconcile(t.Context(), testRequest)
	require.NoError(t, err)
	assert.Equal(t, refusedWait, result.RequeueAfter)
	assert.Equal(t, "False DeletionBlocked", w.condition(v1alpha1.ConditionReady))
	assert.Equal(t, "False AdminTokenRefused", w.condition(v1alpha1.ConditionEndpointReady))
	message := w.domain().Status.Conditions
	assert.Contains(t, message[indexOf(message, v1alpha1.ConditionReady)].Message,
		`kubectl patch domains.takaro.roadstead.dev arena -n team --type=merge -p '{"spec":{"deletionPolicy":"Retain"}}'`)
	before := w.takaro.Count("", "")
	_, err = controller.Reconcile(t.Context(), testRequest)
	require.NoError(t, err)
	assert.Equal(t, before, w.takaro.Count("", ""), "a refused token is not tried again at once")
	w.edit(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
	w.settle(controller)
	assert.Nil(t, w.domain())
	assert.Len(t, w.takaro.Domains(), 1)
}

func TestRefusedTokenIsAskedOnceForNewDomains(t *testing.T) {
	w := newWorld(t)
	w.takaro.SetAdminToken("another")
	w.addDomain()
	controller := w.controller(w.store)
	for range 5 {
		result, err := controller.Reconcile(t.Context(), testRequest)
		require.NoError(t, err)
		assert.Equal(t, refusedWait, result.RequeueAfter)
	}
	assert.Equal(t, 1, w.takaro.Count("", ""))
	assert.Equal(t, "False AdminTokenRefused", w.condition(v1alpha1.ConditionReady))
	w.takaro.SetAdminToken(string(w.secret(credentials).Data["adminToken"]))
	w.settle(controller)
	w.requireReady()
}

func TestSlowCreateOfNothingIsStillFoundByDeletion(t *testing.T) {
	w := newWorld(t)
	w.addDomain()
	_, err := w.takaro.InjectFault(standin.Fault{Kind: standin.FaultCutBefore, Method: http.MethodPost, Path: "/domain", Times: 1})
	require.NoError(t, err)
	controller := w.controller(w.store)
	_, err = controller.Reconcile(t.Context(), testRequest)
	require.Error(t, err)
	w.delete()
	result, err := controller.Reconcile(t.Context(), testRequest)
	require.NoError(t, err)
	assert.Equal(t, remainsGrace, result.RequeueAfter)
	// Now the request of before arrives after all.
	_, _, err = w.takaro.PlantDomain(seed(testReference))
	require.NoError(t, err)
	w.settle(controller)
	assert.Nil(t, w.domain())
	assert.Empty(t, w.takaro.Domains())
}
