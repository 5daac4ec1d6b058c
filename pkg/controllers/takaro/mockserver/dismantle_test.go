// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"

	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

// inRedis returns the number of keys of a MockServer in Redis, and whether it has a login there.
func (w *world) inRedis(mark string) (saved int, login bool) {
	w.T.Helper()
	client := shared.Client()
	defer func() { _ = client.Close() }()
	keys, err := client.Keys(w.T.Context(), "gameserver:"+mark+"-*").Result()
	require.NoError(w.T, err)
	users, err := client.ACLUsers(w.T.Context()).Result()
	require.NoError(w.T, err)
	return len(keys), slices.Contains(users, aclUser(mark))
}

// While Takaro rejects requests, the deletion waits for Takaro, but not with the cleanup of Redis:
// if a user then ends the deletion without Takaro, nothing remains in Redis.
func TestDeletionThatTakaroBlocksLeavesNothingInRedis(t *testing.T) {
	w := newWorld(t)
	w.settle(w.play(0))
	mark := markOf(w.Object())
	client := shared.Client()
	defer func() { _ = client.Close() }()
	require.NoError(t, client.Set(t.Context(), "gameserver:"+identity(w.Object(), 0)+":simulation:state", "x", 0).Err())
	_, login := w.inRedis(mark)
	require.True(t, login)

	fault, err := w.Takaro.InjectFault(standin.Fault{Kind: standin.FaultErrorBefore, Path: "/gameserver/**"})
	require.NoError(t, err)
	require.NoError(t, w.Store.Delete(t.Context(), w.Object()))
	for range 4 {
		_, _ = w.r.Reconcile(t.Context(), w.Request()) // the error is that of Takaro
		w.play()()
		w.Clock.Step(time.Second)
	}
	require.NotNil(t, w.Object(), "it waits for Takaro")
	assert.Equal(t, "False DeletionBlocked", w.Condition("Ready"))
	message := meta.FindStatusCondition(w.Object().Status.Conditions, "Ready").Message
	assert.Contains(t, message, `kubectl patch mockservers.takaro.roadstead.dev game -n team --type=merge -p `+
		`'{"metadata":{"finalizers":null}}'`)
	saved, login := w.inRedis(mark)
	assert.Zero(t, saved)
	assert.False(t, login)

	w.Takaro.RemoveFault(fault)
	w.settle(w.play())
	assert.Nil(t, w.Object())
	assert.Empty(t, w.names())
}
