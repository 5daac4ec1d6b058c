// SPDX-License-Identifier: Apache-2.0

package user

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func TestCreateKey(t *testing.T) {
	user := &v1alpha1.User{Spec: v1alpha1.UserSpec{Email: "Ann@Example.com"}}
	user.UID = "user-uid"
	key := createKey(user)
	assert.Regexp(t, `^rs-[0-9a-f]{16}$`, key)
	user.Spec.Email = "ann@example.com"
	assert.Equal(t, key, createKey(user))
	user.UID = "copy"
	assert.NotEqual(t, key, createKey(user))
}

// A status that was copied, restored or edited is no evidence.
func TestStatusOfAnotherUserIsNotBelieved(t *testing.T) {
	w := newWorld(t)
	id := w.createBehindOurBackAs("other@example.com")
	w.addUser(func(u *v1alpha1.User) { u.Status.UserID = id })
	controller := w.controller(w.Store)
	w.Settle(controller)
	assert.NotEqual(t, id, w.Object().Status.UserID)
	w.Delete()
	w.Settle(controller)
	require.Len(t, w.inTakaro(), 1)
	assert.Equal(t, []string{id, "theirs"}, []string{w.inTakaro()[0].ID, w.inTakaro()[0].Name})
}

func TestVanished(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	w.Settle(controller)
	id := w.Object().Status.UserID
	w.Takaro.SaveSnapshot("before")
	w.removeBehindOurBack()
	w.Clock.Step(snapshotLife)
	wait := w.Once(controller).RequeueAfter
	assert.Equal(t, "False Vanished", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, ownership.VanishedWindow, wait)
	assert.Empty(t, w.inTakaro(), "one list proves nothing")

	require.NoError(t, w.Takaro.RestoreSnapshot("before", true))
	w.Clock.Step(wait)
	w.Settle(controller)
	w.requireReady()
	assert.Equal(t, id, w.Object().Status.UserID, "the user is back")

	w.removeBehindOurBack()
	w.Clock.Step(snapshotLife)
	w.Settle(controller)
	w.requireReady()
	assert.NotEqual(t, id, w.Object().Status.UserID)
	assert.Equal(t, 1, w.Told()["UserVanished"])

	// The former data is restored: the former user is owned again.
	require.NoError(t, w.Takaro.RestoreSnapshot("before", true))
	w.Clock.Step(snapshotLife)
	w.Settle(controller)
	w.requireReady()
	assert.Equal(t, id, w.Object().Status.UserID)
}

// Takaro's list lacks a user that a read by id returns.
func TestShortListIsNotBelieved(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/user/search" {
			out.Header().Set("Content-Type", "application/json")
			_, _ = out.Write([]byte(`{"meta":{"page":0,"limit":1000,"total":0},"data":[]}`))
			return
		}
		w.Takaro.ServeHTTP(out, in)
	}
	for range 5 {
		w.Clock.Step(snapshotLife)
		w.Once(controller)
		assert.Equal(t, "False SearchIncomplete", w.Condition(v1alpha1.ConditionReady))
	}
	w.Delete()
	w.Clock.Step(snapshotLife)
	w.Once(controller)
	require.NotNil(t, w.Object(), "the user exists")
	w.Through = w.Takaro.ServeHTTP
	w.Settle(controller)
	assert.Nil(t, w.Object())
	assert.Empty(t, w.inTakaro())
}

func TestIncompleteSearch(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultTruncate, Path: "/user/search"})
	require.NoError(t, err)
	controller := w.controller(w.Store)
	_, err = controller.Reconcile(t.Context(), w.Request())
	require.True(t, takaro.IsIncomplete(err), "%v", err)
	assert.Equal(t, "False SearchIncomplete", w.Condition(v1alpha1.ConditionReady))
	assert.Empty(t, w.inTakaro())
	w.Takaro.RemoveFault(fault)
	w.Settle(controller)
	w.requireReady()
}

func TestDomainCreatedAnew(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	w.Settle(controller)
	planted, _, err := w.Takaro.PlantDomain(standin.Seed{MaxUsers: 3})
	require.NoError(t, err)
	former := w.inTakaro()[0].ID
	w.setDomain(held(planted.ID))
	w.Settle(controller)
	assert.Equal(t, former, w.inTakaro()[0].ID)
	w.domainID = planted.ID
	w.requireReady()
	assert.NotEqual(t, former, w.Object().Status.UserID)
	gone(w)
}

func TestUnverifiedEndpoint(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	verified := w.controller(w.Store)
	unsure := w.controller(w.Store)
	unsure.Keeper = takaroendpoint.New(takaroendpoint.Config{ // the endpoint is never verified
		Client: w.Store, Live: w.Store, Recorder: w.Recorder, Namespace: controllertest.System, Installation: "test", Clock: w.Clock,
		Pool: unsure.Pool, Endpoints: unsure.Endpoints,
	})
	w.Once(unsure)
	assert.Equal(t, "False EndpointVerifying", w.Condition(v1alpha1.ConditionReady))
	assert.Empty(t, w.inTakaro())
	w.Settle(verified)
	w.requireReady()
	before := w.Object().ResourceVersion
	w.Once(unsure)
	assert.Equal(t, before, w.Object().ResourceVersion, "a Ready User stays so, and nothing is written")
	w.Delete()
	w.Once(unsure)
	assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
	assert.Len(t, w.inTakaro(), 1)
	w.Settle(verified)
	assert.Nil(t, w.Object())
	assert.Empty(t, w.inTakaro())
}

// The message about another cause is not kept next to the current one.
func TestConditionsAreOfOneAttempt(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.setDomain(v1alpha1.DomainStatus{DomainID: w.domainID, Ownership: &ownership.Status{}})
	controller := w.controller(w.Store)
	w.Once(controller)
	assert.Equal(t, "Unknown DomainNotReady", w.Condition(v1alpha1.ConditionRolesAssigned))
	w.setDomain(held(w.domainID))
	w.createBehindOurBack()
	w.Once(controller)
	for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced, v1alpha1.ConditionRolesAssigned} {
		assert.Contains(t, w.Condition(kind), "EmailTaken", kind)
	}
}

// Users that wait for an available place are woken by the list, regardless of the reason.
func TestCompareWakesUsersThatWaitForRoom(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	require.NoError(t, w.limit(0))
	controller := w.controller(w.Store)
	w.Once(controller)
	assert.Equal(t, "False MaxUsersReached", w.Condition(v1alpha1.ConditionReady))
	client, err := w.connectAs(controller)
	require.NoError(t, err)
	differs := func(maxUsers int32) bool {
		domain, err := controller.domainOf(t.Context(), w.Object())
		require.NoError(t, err)
		domain.Status.ObservedLimits = &v1alpha1.DomainLimits{MaxUsers: &maxUsers}
		list, err := controller.roster.refresh(t.Context(), parts.Place{DomainID: w.domainID}, client)
		require.NoError(t, err)
		return (&watch{reconciler: controller}).differs(list, domain, w.Object())
	}
	assert.False(t, differs(0))
	assert.True(t, differs(1))
	require.NoError(t, w.limit(1))
	w.Clock.Step(time.Minute)
	w.Settle(controller)
	w.requireReady()
}
