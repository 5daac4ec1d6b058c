// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// While the endpoint is busy with others, a new User has a first status, a User that is Ready stays
// Ready, and a deletion waits.
func TestUserIsQueued(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	leave := w.Occupy(controller.Slots)
	w.Once(controller)
	assert.Equal(t, "Unknown Queued", w.Condition(v1alpha1.ConditionReady))
	assert.Equal(t, "Unknown Queued", w.Condition(v1alpha1.ConditionSynced))
	assert.Equal(t, w.Object().Generation, w.Object().Status.ObservedGeneration)
	version := w.Object().ResourceVersion
	w.Once(controller)
	assert.Equal(t, version, w.Object().ResourceVersion, "it is written once")
	assert.Empty(t, w.inTakaro())

	leave()
	w.Settle(controller)
	w.requireReady()
	w.Occupy(controller.Slots)
	w.Once(controller)
	w.requireReady()
	w.Delete()
	w.Once(controller)
	require.NotNil(t, w.Object())
	assert.Equal(t, v1alpha1.UserDeleting, w.Object().Status.Phase)
	assert.Len(t, w.inTakaro(), 1)
}

// A User that does not wait for Takaro needs no slot, and immediately reports what it waits for.
func TestFirstStatusNeedsNoTurn(t *testing.T) {
	w := newWorld(t)
	w.addUser(func(u *v1alpha1.User) { u.Spec.DomainRef.Name = "missing" })
	controller := w.controller(w.Store)
	w.Occupy(controller.Slots)
	w.Once(controller)
	assert.Equal(t, "False DomainNotFound", w.Condition(v1alpha1.ConditionReady))
}
