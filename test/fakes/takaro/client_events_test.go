// SPDX-License-Identifier: Apache-2.0

package takaro_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/takaro"
	standin "roadstead.dev/roadstead/test/fakes/takaro"
)

func TestGameServersAndTheirEvents(t *testing.T) {
	server := standin.New(standin.Options{Realism: standin.FullRealism()})
	front := httptest.NewServer(server)
	defer front.Close()
	domain, _, err := server.PlantDomain(standin.Seed{MaxGameServers: 2})
	require.NoError(t, err)
	pool := takaro.NewPool(takaro.Options{Dial: netguard.Policy{AllowLoopback: true, AllowPrivate: true}})
	defer pool.Close()
	client, err := pool.Client(takaro.Endpoint{URL: front.URL, AdminToken: takaro.NewSecret(server.AdminToken())})
	require.NoError(t, err)
	one, err := server.ConnectGameServer(domain.ID, "one")
	require.NoError(t, err)
	two, err := server.ConnectGameServer(domain.ID, "two")
	require.NoError(t, err)

	found, err := client.GetGameServer(t.Context(), domain.ID, one.ID)
	require.NoError(t, err)
	assert.Equal(t, "one", *found.IdentityToken)

	begin := time.Now().Add(-time.Second)
	for _, name := range []string{"chat-message", "cronjob-executed", "player-death"} {
		require.NoError(t, server.PlantEvent(domain.ID, one.ID, name))
		server.AdvanceClock(time.Second)
	}
	events := func(since time.Time, limit int, of ...string) (names []string) {
		t.Helper()
		rows, err := client.NewestEvents(t.Context(), domain.ID, of, since, limit)
		require.NoError(t, err)
		for _, row := range rows {
			assert.Equal(t, one.ID, row.GameServerID)
			names = append(names, row.Name)
		}
		return names
	}
	assert.Equal(t, []string{"player-death"}, events(begin, 1, one.ID, two.ID), "the newest, and no event of Takaro itself")
	assert.Equal(t, []string{"player-death", "chat-message"}, events(begin, 9, one.ID))
	assert.Empty(t, events(begin.Add(time.Hour), 9, one.ID))
	assert.Empty(t, events(begin, 9, two.ID))
	assert.Empty(t, events(begin, 9), "no game server is not every game server")

	require.NoError(t, client.DeleteGameServer(t.Context(), domain.ID, one.ID))
	_, err = client.GetGameServer(t.Context(), domain.ID, one.ID)
	require.True(t, takaro.IsNotFound(err), "%v", err)
}
