// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

func TestUpgradeKeepsIdentities(t *testing.T) {
	for _, deleting := range []bool{false, true} {
		w := newWorld(t, twoReplicas, earlier)
		first, err := w.Takaro.ConnectGameServer(w.domainID, identity(w.Object(), 0))
		require.NoError(t, err)
		_, err = w.Takaro.ConnectGameServer(w.domainID, identity(w.Object(), 1)) // not in the status yet
		require.NoError(t, err)
		stranger, err := w.Takaro.ConnectGameServer(w.domainID, "stranger")
		require.NoError(t, err)
		server := w.Object()
		server.Status.GameServers = []v1alpha1.MockGameServer{{Name: "a", ID: first.ID}, {Name: "b", ID: stranger.ID}}
		require.NoError(t, w.Store.Status().Update(t.Context(), server))
		require.Equal(t, markOf(server)+"-game-0", identity(server, 0))
		admin := shared.Client()
		require.NoError(t, admin.Set(t.Context(), "gameserver:"+identity(server, 0)+":players", "x", 0).Err())
		require.NoError(t, admin.Close())
		before := identity(server, 0)
		if !deleting {
			w.settle(w.play(all...))
			assert.Equal(t, before, identity(w.Object(), 0), "it is recorded")
			assert.ElementsMatch(t, []string{"game", "game-1", "stranger"}, w.names())
			assert.Equal(t, "True AsSpecified", w.Condition("Ready"))
			assert.Equal(t, ownership.Created, ledgerOf(w.Object())[1].Origin)
		}
		w.Delete()
		w.settle(w.play())
		assert.Nil(t, w.Object())
		assert.Equal(t, []string{"stranger"}, w.names())
		saved, _ := w.inRedis(before[:earlierMarkLength])
		assert.Zero(t, saved)
	}
}

// earlier changes a MockServer to one that a release without a ledger stored.
func earlier(_ *v1alpha1.Domain, server *v1alpha1.MockServer) {
	server.Finalizers = []string{Finalizer}
	set(server, v1alpha1.ConditionRegistered, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "2 game servers are registered with Takaro")
}
