// SPDX-License-Identifier: Apache-2.0

package user

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestPasswords(t *testing.T) {
	t.Run("identity of others, generated", func(t *testing.T) {
		w := newWorld(t)
		w.Takaro.PlantIdentity(strings.ToLower(testEmail), "their-own-one")
		w.addUser()
		controller := w.controller(w.Store)
		w.Settle(controller)
		assert.Equal(t, "False PasswordUnknown", w.Condition(v1alpha1.ConditionReady), "nobody can log in with the Secret")
		assert.Equal(t, v1alpha1.UserError, w.Object().Status.Phase)
		assert.Equal(t, "False PasswordUnknown", w.Condition(v1alpha1.ConditionPasswordValid))
		assert.Equal(t, "True AsSpecified", w.Condition(v1alpha1.ConditionRolesAssigned), "the rest is done")
		assert.NotContains(t, w.login(), keyPassword)
		assert.Empty(t, w.count(func() { w.Settle(controller) }), "it is not tried again")

		w.given = "their-own-one"
		w.edit(func(*v1alpha1.UserSpec) {})
		w.Settle(controller)
		w.requireReady()
		assert.Equal(t, "True PasswordAccepted", w.Condition(v1alpha1.ConditionPasswordValid))
	})
	t.Run("given and refused", func(t *testing.T) {
		w := newWorld(t)
		w.Takaro.PlantIdentity(testEmail, "their-own-one")
		w.given = "another-one"
		w.addUser()
		w.Settle(w.controller(w.Store))
		assert.Equal(t, "False PasswordRefused", w.Condition(v1alpha1.ConditionReady))
		assert.Equal(t, v1alpha1.UserError, w.Object().Status.Phase)
		assert.Equal(t, []string{"Admin", "Moderator"}, w.Object().Status.Roles, "the rest is done")
		assert.NotContains(t, w.Object().String(), "another-one")
		assert.NotContains(t, w.login(), keyPassword, "none that does not work")
	})
	t.Run("from a Secret", func(t *testing.T) {
		w := newWorld(t)
		w.addUser(func(u *v1alpha1.User) {
			u.Spec.PasswordSecretRef = &v1alpha1.SecretKeyReference{Name: "mine", Key: "password"}
		})
		controller := w.controller(w.Store)
		w.Once(controller)
		assert.Equal(t, "False SecretNotFound", w.Condition(v1alpha1.ConditionReady))
		mine := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: controllertest.Namespace, Name: "mine"},
			Data: map[string][]byte{"password": []byte("short")}}
		w.Add(mine)
		w.Once(controller)
		assert.Equal(t, "False SecretKeyMissing", w.Condition(v1alpha1.ConditionReady))
		require.NoError(t, w.Store.Get(t.Context(), types.NamespacedName{Namespace: controllertest.Namespace, Name: "mine"}, mine))
		assert.Contains(t, mine.Finalizers, "roadstead.dev/in-use")
		mine.Data["password"] = []byte("long enough\n")
		require.NoError(t, w.Store.Update(t.Context(), mine))
		w.Settle(controller)
		w.requireReady()
		assert.Equal(t, "long enough", w.login()[keyPassword], "without the line break")
	})
	t.Run("identity service down", func(t *testing.T) {
		w := newWorld(t)
		w.addUser()
		controller := w.controller(w.Store)
		w.Settle(controller)
		w.Through = func(out http.ResponseWriter, in *http.Request) {
			switch in.URL.Path {
			case "/login":
				out.Header().Set("Content-Type", "application/json")
				out.WriteHeader(http.StatusUnauthorized)
				_, _ = out.Write([]byte(`{"meta":{"error":{"code":"UnauthorizedError","message":"no"}},"data":{}}`))
			case "/token":
				out.Header().Set("Content-Type", "application/json")
				out.WriteHeader(http.StatusInternalServerError)
				_, _ = out.Write([]byte(`{"meta":{"error":{"code":"InternalServerError","message":"no"}},"data":{}}`))
			default:
				w.Takaro.ServeHTTP(out, in)
			}
		}
		w.given = "a-new-password"
		w.edit(func(*v1alpha1.UserSpec) {})
		_, err := controller.Reconcile(t.Context(), w.Request())
		require.Error(t, err, "it is tried again")
		assert.Equal(t, "False EndpointUnavailable", w.Condition(v1alpha1.ConditionReady))
		assert.Equal(t, "True PasswordAccepted", w.Condition(v1alpha1.ConditionPasswordValid), "a refusal alone proves nothing")
	})
}

// A login is known to work only for the address, domain, user and password with which it was tried,
// regardless of the conditions.
func TestPasswordIsTriedAgain(t *testing.T) {
	logins := func(w *world, change func(*v1alpha1.User)) (n int) {
		user := w.Object()
		change(user)
		require.NoError(w.T, w.Store.Status().Update(w.T.Context(), user))
		for _, request := range w.count(func() { w.Settle(w.controller(w.Store)) }) {
			if request == "POST /login" {
				n++
			}
		}
		return n
	}
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	assert.Zero(t, logins(w, func(*v1alpha1.User) {}))
	assert.Zero(t, logins(w, func(u *v1alpha1.User) { u.Status.Conditions = nil }), "conditions are only output")
	assert.Equal(t, 1, logins(w, func(u *v1alpha1.User) { u.Status.Ownership.Facts = nil }))
	w.requireReady()
}
