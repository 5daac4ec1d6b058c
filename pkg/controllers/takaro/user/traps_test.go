// SPDX-License-Identifier: Apache-2.0

package user

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/takaro"
)

// This file has what Takaro answers 200 or an odd error to, though it is not what was asked for.

const theirPassword = "chosen-by-somebody-else"

// createBehindOurBack makes a user with our e-mail, in other letters, as somebody else would.
func (w *world) createBehindOurBack() (id string) {
	w.T.Helper()
	direct, err := w.connectAs(w.controller(w.Store))
	require.NoError(w.T, err)
	made, err := direct.CreateUser(w.T.Context(), w.domainID, takaro.UserInput{Name: "theirs", Email: strings.ToLower(testEmail), Password: takaro.NewSecret(theirPassword)})
	require.NoError(w.T, err)
	return made.ID
}

// requireTaken requires that the user of others is the object's now, as the spec says, with the password of others.
func (w *world) requireTaken(id string) {
	w.T.Helper()
	require.Equal(w.T, "True AsSpecified", w.Condition(v1alpha1.ConditionReady), "%+v", w.Object().Status)
	require.Equal(w.T, id, w.Object().Status.UserID)
	require.Len(w.T, w.inTakaro(), 1)
	made := w.inTakaro()[0]
	assert.Equal(w.T, testName, made.Name, "the spec's, not that of the first create")
	assert.True(w.T, made.Dashboard)
	assert.ElementsMatch(w.T, []string{"Admin", "Moderator"}, made.Roles)
	assert.Equal(w.T, "False PasswordUnknown", w.Condition(v1alpha1.ConditionPasswordValid), "the one of our create was ignored")
	assert.NotContains(w.T, w.login(), keyPassword)
	assert.True(w.T, w.Takaro.PasswordIs(testEmail, theirPassword))
}

func TestTheEmailIsThereAlready(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	id := w.createBehindOurBack()
	w.Settle(w.controller(w.Store))
	w.requireTaken(id)
	assert.Equal(t, 1, w.Told()["UserFound"])
	w.Delete()
	w.Settle(w.controller(w.Store))
	assert.Nil(t, w.Object())
	assert.Empty(t, w.inTakaro(), "it is the object's, and goes with it")
}

// Takaro answers the second create of an e-mail with 200 and the user of the first, whose name and password it keeps.
func TestTheEmailComesBetweenSearchAndCreate(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	var id string
	w.Through = func(out http.ResponseWriter, in *http.Request) {
		if in.URL.Path == "/user" && id == "" {
			id = "being made"
			id = w.createBehindOurBack()
		}
		w.Takaro.ServeHTTP(out, in)
	}
	w.Settle(w.controller(w.Store))
	w.requireTaken(id)
}

// Takaro answers 409 to a role that is assigned already.
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

// status notes the code of an answer.
type status struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements http.ResponseWriter.
func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

// Takaro's search takes a role's name as it is written.
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

// A name is no key: two users of one name are two.
func TestAnotherUserHasTheName(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	direct, err := w.connectAs(w.controller(w.Store))
	require.NoError(t, err)
	other, err := direct.CreateUser(t.Context(), w.domainID, takaro.UserInput{Name: testName, Email: "other@example.com", Password: takaro.NewSecret(theirPassword)})
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
