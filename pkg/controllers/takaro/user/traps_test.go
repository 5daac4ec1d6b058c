// SPDX-License-Identifier: Apache-2.0

package user

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// This file covers requests that Takaro does not execute as specified although it responds with
// 200, and requests to which it responds with a misleading error.

const theirPassword = "chosen-by-somebody-else"

// createBehindOurBack creates a user with the e-mail address of the User in different case, as
// another client would.
func (w *world) createBehindOurBack() (id string) {
	return w.createBehindOurBackAs(strings.ToLower(testEmail))
}

func (w *world) createBehindOurBackAs(email string) (id string) {
	w.T.Helper()
	direct, err := w.connectAs(w.controller(w.Store))
	require.NoError(w.T, err)
	input := takaro.UserInput{Name: "theirs", Email: email, Password: takaro.NewSecret(theirPassword)}
	made, err := direct.CreateUser(w.T.Context(), w.domainID, input)
	require.NoError(w.T, err)
	return made.ID
}

// requireTheirs requires that the foreign user is unchanged, and that the status says what to do.
func (w *world) requireTheirs(id string) {
	w.T.Helper()
	require.Equal(w.T, "False EmailTaken", w.Condition(v1alpha1.ConditionReady), "%+v", w.Object().Status)
	assert.Contains(w.T, w.Message(v1alpha1.ConditionReady),
		`kubectl patch users.takaro.roadstead.dev ann -n team --type=merge -p '{"spec":{"adopt":true}}'`)
	assert.Equal(w.T, v1alpha1.UserError, w.Object().Status.Phase)
	require.Len(w.T, w.inTakaro(), 1)
	theirs := w.inTakaro()[0]
	assert.Equal(w.T, []any{id, "theirs", false, 0}, []any{theirs.ID, theirs.Name, theirs.Dashboard, len(theirs.Roles)})
	assert.True(w.T, w.Takaro.PasswordIs(testEmail, theirPassword))
}

func TestEmailTaken_DeletedWithoutATrace(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	id := w.createBehindOurBack()
	controller := w.controller(w.Store)
	require.Equal(t, problem.ForeignWait, w.Once(controller).RequeueAfter)
	w.requireTheirs(id)
	w.Delete()
	w.Settle(controller)
	assert.Nil(t, w.Object())
	require.Len(t, w.inTakaro(), 1, "created by hand, not by Roadstead")
	assert.Equal(t, id, w.inTakaro()[0].ID)
}

// Takaro responds to the second create with the same e-mail address with 200 and the first user,
// and keeps the name and password of that user.
func TestEmailTaken_BetweenSearchAndCreate(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	var id string
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/user" && id == "" {
			id = "being created"
			id = w.createBehindOurBack()
		}
		w.Takaro.ServeHTTP(out, in)
	}
	controller := w.controller(w.Store)
	w.Once(controller)
	w.requireTheirs(id)
	w.Once(controller)
	w.requireTheirs(id)
	assert.Empty(t, w.Object().Status.Ownership.Records)
	w.Delete()
	w.Settle(controller)
	require.Len(t, w.inTakaro(), 1)
}

func TestAdopt(t *testing.T) {
	for policy, left := range map[v1alpha1.UserDeletionPolicy]int{v1alpha1.UserDeletionPolicyRetain: 1, v1alpha1.UserDeletionPolicyDelete: 0} {
		w := newWorld(t)
		w.addUser(func(u *v1alpha1.User) { u.Spec.Adopt, u.Spec.DeletionPolicy = true, policy })
		controller := w.controller(w.Store)
		w.Once(controller)
		assert.Equal(t, "False NothingToAdopt", w.Condition(v1alpha1.ConditionReady))
		assert.Empty(t, w.inTakaro())
		id := w.createBehindOurBack()
		w.Clock.Step(time.Minute)
		w.Settle(controller)
		assert.Equal(t, "True AsSpecified", w.Condition(v1alpha1.ConditionReady), "its owner knows the password")
		assert.Equal(t, "False PasswordUnknown", w.Condition(v1alpha1.ConditionPasswordValid))
		assert.NotContains(t, w.login(), keyPassword)
		adopted := w.inTakaro()[0]
		assert.Equal(t, []any{id, testName, true}, []any{adopted.ID, adopted.Name, adopted.Dashboard})
		assert.ElementsMatch(t, []string{"Admin", "Moderator"}, adopted.Roles)
		assert.Equal(t, 1, w.Told()["UserAdopted"])
		w.given = "not-their-password"
		w.edit(func(*v1alpha1.UserSpec) {})
		w.Settle(controller)
		assert.Equal(t, "False PasswordRefused", w.Condition(v1alpha1.ConditionReady), "a given one has to work")
		w.Delete()
		w.Settle(controller)
		assert.Nil(t, w.Object())
		assert.Len(t, w.inTakaro(), left, policy)
	}
}

// Takaro responds with 409 if a role is already assigned.
func TestARoleIsAssignedTwice(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.Roles = []string{"Moderator"} })
	var conflicts int
	between := false
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.Method != http.MethodPost || !strings.Contains(in.URL.Path, "/role/") || in.URL.Path == "/role/search" || between {
			w.Takaro.ServeHTTP(out, in)
			return
		}
		between = true
		w.assignBehindOurBack("Moderator")
		seen := &status{ResponseWriter: out}
		w.Takaro.ServeHTTP(seen, in)
		if seen.code == http.StatusConflict {
			conflicts++
		}
	}
	w.Settle(w.controller(w.Store))
	assert.Equal(t, 1, conflicts)
	w.requireReady()
}

// status records the status code of a response.
type status struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements http.ResponseWriter.
func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// Takaro's search for a role is case-sensitive.
func TestRolesAreFoundAsTheyAreWritten(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.Roles = []string{"admin", "Moderator", "Referee"} })
	controller := w.controller(w.Store)
	assert.NotZero(t, w.Once(controller).RequeueAfter, "they may come later")
	assert.Equal(t, "False RolesMissing", w.Condition(v1alpha1.ConditionRolesAssigned))
	assert.ElementsMatch(t, []string{"admin", "Referee"}, w.Object().Status.MissingRoles)
	assert.Equal(t, []string{"Moderator"}, w.Object().Status.Roles, "the rest is assigned")
	assert.Equal(t, []string{"Moderator"}, w.inTakaro()[0].Roles)
}

// The name is not a key: two users may have the same name.
func TestAnotherUserHasTheName(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	direct, err := w.connectAs(w.controller(w.Store))
	require.NoError(t, err)
	other, err := direct.CreateUser(t.Context(), w.domainID, takaro.UserInput{Name: testName, Email: "other@example.com",
		Password: takaro.NewSecret(theirPassword)})
	require.NoError(t, err)
	w.Settle(w.controller(w.Store))
	assert.Equal(t, "True AsSpecified", w.Condition(v1alpha1.ConditionReady))
	assert.Len(t, w.inTakaro(), 2)
	assert.NotEqual(t, other.ID, w.Object().Status.UserID)
	w.Delete()
	w.Settle(w.controller(w.Store))
	require.Len(t, w.inTakaro(), 1)
	assert.Equal(t, other.ID, w.inTakaro()[0].ID, "the other one was not touched")
}
