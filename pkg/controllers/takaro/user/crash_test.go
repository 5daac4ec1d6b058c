// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// life defines how the crash tests use a world.
var life = controllertest.Life[*world, *v1alpha1.User]{
	New:     newWorld,
	World:   func(w *world) *controllertest.World[*v1alpha1.User] { return w.World },
	Start:   func(w *world, api client.WithWatch) reconcile.Reconciler { return w.controller(api) },
	Between: func(*world) {},
}

// atEveryCall kills a controller at each of its calls. prepare brings the world to the state before
// the run that is killed, and check verifies the state that the next controller reaches.
func atEveryCall(t *testing.T, prepare, check func(*world)) {
	t.Helper()
	life.AtEveryCall(t, controllertest.Case[*world]{Prepare: prepare, Check: check, Least: 3})
}

// gone deletes the User and requires that nothing of it remains.
func gone(w *world) {
	w.T.Helper()
	w.Delete()
	w.Settle(w.controller(w.Store))
	require.Nil(w.T, w.Object())
	require.Empty(w.T, w.inTakaro(), "nothing is left in Takaro")
	list := &corev1.SecretList{}
	require.NoError(w.T, w.Store.List(w.T.Context(), list, client.InNamespace(controllertest.Namespace)))
	require.Len(w.T, list.Items, 1, "only the admin token is left")
}

func TestCreateKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) { w.addUser() }, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestCreateWithGivenPasswordKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.given = "given-password"
		w.addUser()
	}, func(w *world) {
		w.requireReady()
		require.Equal(w.T, "given-password", w.login()[keyPassword])
		gone(w)
	})
}

func TestDeleteAfterCreateKilledAtEveryCall(t *testing.T) {
	life.AtEveryCall(t, controllertest.Case[*world]{
		Prepare: func(w *world) { w.addUser() },
		Then:    func(w *world, _ *controllertest.Run) { w.Delete() },
		Check: func(w *world) {
			require.Nil(w.T, w.Object())
			require.Empty(w.T, w.inTakaro())
		},
		Least: 3,
	})
}

// Regardless of what happened to the first spec, its roles are unassigned if the second spec does
// not list them.
func TestRolesTakenOutOfTheSpecAfterACreateKilledAtEveryCall(t *testing.T) {
	life.AtEveryCall(t, controllertest.Case[*world]{
		Prepare: func(w *world) { w.addUser() },
		Then: func(w *world, _ *controllertest.Run) {
			w.edit(func(spec *v1alpha1.UserSpec) { spec.Roles = []string{"Moderator"} })
		},
		Check:   func(w *world) { w.requireReady() },
		Moments: []controllertest.Moment{controllertest.Before, controllertest.After},
		Least:   3,
	})
}

func TestChangeKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.Settle(w.controller(w.Store))
		w.edit(func(spec *v1alpha1.UserSpec) { spec.Roles, spec.Name = []string{"root", "Moderator"}, "renamed" })
	}, func(w *world) { w.requireReady() })
}

// A given password that Takaro rejects is never reported as valid, and never replaces the one that
// works.
func TestPasswordChangeKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.given = "given-password"
		w.addUser()
		w.Settle(w.controller(w.Store))
		w.requireReady()
		w.given = "another-one"
		w.edit(func(*v1alpha1.UserSpec) {})
	}, func(w *world) {
		require.Equal(w.T, "False PasswordRefused", w.Condition(v1alpha1.ConditionPasswordValid))
		require.Equal(w.T, "False PasswordRefused", w.Condition(v1alpha1.ConditionReady))
		require.Equal(w.T, "given-password", w.login()[keyPassword])
	})
}

func TestAdoptKilledAtEveryCall(t *testing.T) {
	var id string
	atEveryCall(t, func(w *world) {
		w.addUser(func(u *v1alpha1.User) { u.Spec.Adopt = true })
		id = w.createBehindOurBack()
	}, func(w *world) {
		require.Equal(w.T, "True AsSpecified", w.Condition(v1alpha1.ConditionReady))
		require.Equal(w.T, id, w.Object().Status.UserID)
		w.edit(func(spec *v1alpha1.UserSpec) { spec.DeletionPolicy = v1alpha1.UserDeletionPolicyRetain })
		w.Delete()
		w.Settle(w.controller(w.Store))
		require.Len(w.T, w.inTakaro(), 1)
	})
}

func TestRemakeOfAVanishedUserKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.Settle(w.controller(w.Store))
		w.removeBehindOurBack()
	}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func TestDeleteKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.Settle(w.controller(w.Store))
		w.requireReady()
		w.Delete()
	}, func(w *world) {
		require.Nil(w.T, w.Object())
		require.Empty(w.T, w.inTakaro())
	})
}
