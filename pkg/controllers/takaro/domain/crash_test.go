// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// life defines how the crash tests use a world.
var life = controllertest.Life[*world, *v1alpha1.Domain]{
	New:     newWorld,
	World:   func(w *world) *controllertest.World[*v1alpha1.Domain] { return w.World },
	Start:   func(w *world, api client.WithWatch) reconcile.Reconciler { return w.controller(api) },
	Between: func(w *world) { w.compareVanished() },
}

// atEveryCall kills a controller at each of its calls. prepare brings the world to the state before
// the run that is killed, and check verifies the state that the next controller reaches.
func atEveryCall(t *testing.T, prepare, check func(*world)) {
	t.Helper()
	life.AtEveryCall(t, caseOf(prepare, check, 5))
}

func caseOf(prepare, check func(*world), least int) controllertest.Case[*world] {
	return controllertest.Case[*world]{Prepare: prepare, Check: check, Least: least}
}

// gone deletes the Domain and requires that nothing of it remains.
func gone(w *world) {
	w.T.Helper()
	w.Delete()
	w.Settle(w.controller(w.Store))
	require.Nil(w.T, w.Object())
	require.Empty(w.T, w.Takaro.Domains(), "nothing is left in Takaro")
}

func TestCreateKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) { w.addDomain() }, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	})
}

func TestCreateWithTypedReferenceKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) { w.addDomain(withReference("typed-reference")) }, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		require.Equal(w.T, "typed-reference", w.Takaro.Domains()[0].ExternalReference)
		gone(w)
	})
}

// Controllers are killed while they clean up after others that were killed.
func TestCreateKilledAgainAndAgain(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		typed := seed%2 == 1
		w.addDomain(func(d *v1alpha1.Domain) {
			if typed {
				d.Spec.ExternalReferenceID = "typed-reference"
			}
		})
		var struck []*controllertest.Run
		arrive := func() {
			for _, run := range struck {
				run.Arrive()
			}
		}
		for range 4 {
			struck = append(struck, life.KillAt(w, 1+random.IntN(20), controllertest.Moments[random.IntN(3)]))
			if random.IntN(2) == 0 {
				arrive()
			}
		}
		w.Settle(w.controller(w.Store), arrive)
		t.Logf("seed %d", seed)
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	}
}

func TestDeleteAfterCreateKilledAtEveryCall(t *testing.T) {
	life.AtEveryCall(t, controllertest.Case[*world]{
		Prepare: func(w *world) { w.addDomain() },
		Then:    func(w *world, _ *controllertest.Run) { w.Delete() },
		Check: func(w *world) {
			require.Nil(w.T, w.Object())
			require.Empty(w.T, w.Takaro.Domains())
		},
		Least: 5,
	})
}

func TestAdoptKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		_, _, err := w.Takaro.PlantDomain(seed("theirs"))
		require.NoError(w.T, err)
		w.addDomain(withReference("theirs"), adopting)
	}, func(w *world) {
		domain := w.requireReady()
		require.Equal(w.T, "False RootPasswordUnknown", w.Condition(v1alpha1.ConditionRootCredentials))
		w.Delete()
		w.Settle(w.controller(w.Store))
		require.Nil(w.T, w.Object())
		require.Len(w.T, w.Takaro.Domains(), 1, "what was adopted is retained")
		require.Equal(w.T, domain.Status.DomainID, w.Takaro.Domains()[0].ID)
	})
}

func TestVanishedDomainKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addDomain()
		w.Settle(w.controller(w.Store))
		require.True(w.T, w.Takaro.RemoveDomain(w.requireReady().Status.DomainID))
	}, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	})
}

func TestHalfMadeDomainKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addDomain()
		w.halfMade()
	}, func(w *world) {
		w.requireReady()
		w.requireRootLogin()
		gone(w)
	})
}

func TestDeleteKilledAtEveryCall(t *testing.T) {
	for policy, left := range map[v1alpha1.DeletionPolicy]int{v1alpha1.DeletionPolicyDelete: 0, v1alpha1.DeletionPolicyDisable: 1} {
		t.Run(string(policy), func(t *testing.T) {
			atEveryCall(t, func(w *world) {
				w.addDomain(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = policy })
				w.Settle(w.controller(w.Store))
				w.requireReady()
				w.Delete()
			}, func(w *world) {
				require.Nil(w.T, w.Object())
				require.Len(w.T, w.Takaro.Domains(), left)
				for _, domain := range w.Takaro.Domains() {
					require.Equal(w.T, "DISABLED", domain.State)
				}
			})
		})
	}
}
