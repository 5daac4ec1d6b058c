// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// downgrade changes the stored User to one that a release without a ledger stored.
func (w *world) downgrade() {
	w.T.Helper()
	user := w.Object()
	user.Status.Ownership = nil
	require.NoError(w.T, w.Store.Status().Update(w.T.Context(), user))
	require.Nil(w.T, w.Object().Status.Ownership)
}

func TestUpgrade(t *testing.T) {
	for name, c := range map[string]struct {
		given  string
		before func(*world)
		origin ownership.Origin
		left   int
	}{
		"generated password":          {origin: ownership.Created},
		"given password":              {given: "given-password", origin: ownership.Found, left: 1},
		"without its Secret":          {before: func(w *world) { w.deleteSecret() }, origin: ownership.Found, left: 1},
		"with a Secret of the domain": {before: func(w *world) { w.overwriteSecret(keyDomainID, "another") }, origin: ownership.Found, left: 1},
		"with another password":       {before: func(w *world) { w.overwriteSecret(keyPassword, "another") }, origin: ownership.Found, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.given = c.given
			w.addUser()
			w.Settle(w.controller(w.Store))
			w.downgrade()
			if c.before != nil {
				c.before(w)
			}
			w.Settle(w.controller(w.Store))
			require.Len(t, w.Object().Status.Ownership.Records, 1)
			record := w.Object().Status.Ownership.Records[0]
			assert.Equal(t, []any{w.inTakaro()[0].ID, ownership.Held, c.origin, w.domainID},
				[]any{record.ID, record.State, record.Origin, record.Parent})
			w.Delete()
			w.Settle(w.controller(w.Store))
			assert.Nil(t, w.Object())
			require.Len(t, w.inTakaro(), c.left)
			if c.left > 0 {
				assert.NotZero(t, w.Told()[eventLeftInTakaro])
			}
		})
	}
}

func TestUpgrade_WhileBeingDeleted(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	w.Settle(w.controller(w.Store))
	w.downgrade()
	w.Delete()
	w.Settle(w.controller(w.Store))
	assert.Nil(t, w.Object())
	assert.Empty(t, w.inTakaro())
}

func TestUpgrade_StatusOfAnotherUser(t *testing.T) {
	w := newWorld(t)
	id := w.createBehindOurBackAs("other@example.com")
	w.Add(controllertest.NewSecret(controllertest.System, SeedSecretName, nil, map[string]string{SeedKey: string(otherSeed)}))
	w.addUser(func(u *v1alpha1.User) { u.Status.UserID = id })
	w.downgrade()
	controller := w.controller(w.Store)
	w.Settle(controller)
	assert.NotEqual(t, id, w.Object().Status.UserID)
	w.Delete()
	w.Settle(controller)
	require.Len(t, w.inTakaro(), 1)
	assert.Equal(t, id, w.inTakaro()[0].ID)
}

func TestUpgrade_Retained(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.DeletionPolicy = v1alpha1.UserDeletionPolicyRetain })
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.downgrade()
	w.Delete()
	assert.Empty(t, w.count(func() { w.Settle(controller) }))
	assert.Nil(t, w.Object())
	assert.Equal(t, 1, w.Told()[eventLeftInTakaro])
}

func TestUpgradeKilledAtEveryCall(t *testing.T) {
	atEveryCall(t, func(w *world) {
		w.addUser()
		w.Settle(w.controller(w.Store))
		w.downgrade()
	}, func(w *world) {
		w.requireReady()
		gone(w)
	})
}

func (w *world) deleteSecret() {
	w.T.Helper()
	require.NoError(w.T, w.Store.Delete(w.T.Context(), w.Secret(secretName(w.Object()))))
}

func (w *world) overwriteSecret(key, value string) {
	w.T.Helper()
	secret := w.Secret(secretName(w.Object()))
	secret.Data[key] = []byte(value)
	require.NoError(w.T, w.Store.Update(w.T.Context(), secret))
}
