// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

const retainedAs = "retained:unit:" + string(testUID)

func policy(of v1alpha1.DeletionPolicy) func(*v1alpha1.Domain) {
	return func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = of }
}

// A domain that outlives its object has a reference that can be adopted, unless the user specified
// one.
func TestWhatStaysIsMarked(t *testing.T) {
	for _, of := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionPolicyRetain, v1alpha1.DeletionPolicyDisable} {
		for reference, want := range map[string]string{"": retainedAs, "typed": "typed"} {
			w := newWorld(t)
			w.addDomain(withReference(reference), policy(of))
			controller := w.controller(w.Store)
			w.Settle(controller)
			id := w.requireReady().Status.DomainID
			w.Delete()
			w.Settle(controller)
			require.Nil(t, w.Object())
			after, _ := w.Takaro.Domain(id)
			assert.Equal(t, want, after.ExternalReference, of)
		}
	}
}

func TestRetainedDomainIsAdopted(t *testing.T) {
	w := newWorld(t)
	w.addDomain(policy(v1alpha1.DeletionPolicyRetain))
	controller := w.controller(w.Store)
	w.Settle(controller)
	id := w.requireReady().Status.DomainID
	w.Delete()
	w.Settle(controller)
	for _, suffix := range []string{rootSuffix, v1alpha1.RegistrationSecretSuffix} { // as the garbage collector does
		require.NoError(t, w.Store.Delete(t.Context(), w.Secret(testName+suffix)))
	}
	w.addDomain(withReference(retainedAs), adopting, func(d *v1alpha1.Domain) { d.UID = "another-uid" })
	w.Settle(controller)
	assert.Equal(t, id, w.requireReady().Status.DomainID)
}

// Users set Retain when Takaro does not respond, so it must not need a response.
func TestRetainNeedsNoAnswer(t *testing.T) {
	for name, fault := range map[string]standin.Fault{
		"down":        {Kind: standin.FaultDown},
		"no update":   {Kind: standin.FaultErrorBefore, Method: "PUT"},
		"wrong token": {Kind: standin.FaultTokenRevoked},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addDomain(policy(v1alpha1.DeletionPolicyRetain))
			w.Settle(w.controller(w.Store))
			id := w.requireReady().Status.DomainID
			_, err := w.Takaro.InjectFault(fault)
			require.NoError(t, err)
			w.Events()
			w.Delete()
			w.Once(w.controller(w.Store))
			require.Nil(t, w.Object())
			w.Takaro.ClearFaults()
			assert.Equal(t, testReference, w.Takaro.Domains()[0].ExternalReference, "it could not be marked")
			assert.Contains(t, w.Events()[0], id)
		})
	}
}

func TestRetainKilledAtEveryCall(t *testing.T) {
	for _, of := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionPolicyRetain, v1alpha1.DeletionPolicyDisable} {
		t.Run(string(of), func(t *testing.T) {
			life.AtEveryCall(t, caseOf(func(w *world) {
				w.addDomain(policy(of))
				w.Settle(w.controller(w.Store))
				w.Delete()
			}, func(w *world) {
				require.Nil(t, w.Object())
				require.Equal(t, retainedAs, w.Takaro.Domains()[0].ExternalReference)
			}, 4))
		})
	}
}
