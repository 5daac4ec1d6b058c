// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gameServer creates a game server over the API and returns its id, or an empty one for a 409.
func (b *bench) gameServer(t *testing.T, name string) string {
	t.Helper()
	a := b.call(t, "POST", "/gameserver", `{"name":"`+name+`","type":"GENERIC","connectionInfo":"{}"}`)
	if a.status == 409 {
		return ""
	}
	require.Equal(t, 200, a.status, a.raw)
	return a.data(t)["id"].(string)
}

func (b *bench) deleteGameServer(t *testing.T, id string) {
	t.Helper()
	require.Equal(t, 200, b.call(t, "DELETE", "/gameserver/"+id, "").status)
}

func TestSoftDelete_KeepsTheName(t *testing.T) {
	b, c := controlled(t, Options{ConnectorListen: "127.0.0.1:0"})
	require.NoError(t, c.SetRealism(t.Context(), Realism{SoftDelete: true}))
	b.deleteGameServer(t, b.gameServer(t, "first")) // purged immediately
	id := b.gameServer(t, "first")
	require.NotEmpty(t, id)
	b.deleteGameServer(t, id) // the purge of this domain is still known to the queue

	assert.Empty(t, b.gameServer(t, "first"))
	assert.Equal(t, 409, b.call(t, "PUT", "/gameserver/"+b.mock, `{"name":"first","type":"GENERIC","connectionInfo":"{}"}`).status)
	refused := dial(t, b).identify("first", b.domain.RegistrationToken).Error
	require.NotNil(t, refused)
	assert.Equal(t, identifyError{codeConflict, "Unique constraint violation", 409}, *refused)
	for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/reachability"}} {
		assert.Equal(t, 404, b.call(t, call[0], "/gameserver/"+id+call[1], "").status, call)
	}
	assert.Contains(t, b.call(t, "POST", "/gameserver/search", `{"filters":{"name":["first"]}}`).raw, `"total":0`)
	second := b.gameServer(t, "second")
	require.NotEmpty(t, second, "a deleted one does not count against the limit of two")

	// The workaround is to rename the game server first.
	rename := `{"name":"gone-` + second + `","type":"GENERIC","connectionInfo":"{}"}`
	require.Equal(t, 200, b.call(t, "PUT", "/gameserver/"+second, rename).status)
	b.deleteGameServer(t, second)
	second = b.gameServer(t, "second")
	require.NotEmpty(t, second)
	b.deleteGameServer(t, second)

	purged, err := c.PurgeGameServers(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3, purged)
	assert.NotEmpty(t, b.gameServer(t, "first"))
}

func TestSoftDelete_PurgesHourly(t *testing.T) {
	b, c := controlled(t, Options{Realism: Realism{SoftDelete: true}})
	b.deleteGameServer(t, b.mock)
	again := func() string { return b.gameServer(t, "mock-1") }
	b.deleteGameServer(t, again())
	require.NoError(t, c.AdvanceClock(t.Context(), PurgeInterval-time.Minute))
	require.Empty(t, again())
	require.NoError(t, c.AdvanceClock(t.Context(), time.Minute))
	b.deleteGameServer(t, again())
	require.NoError(t, c.AdvanceClock(t.Context(), -3*PurgeInterval))
	require.NoError(t, c.AdvanceClock(t.Context(), PurgeInterval-time.Minute))
	require.Empty(t, again(), "a clock that went back begins a new hour")
	require.NoError(t, c.AdvanceClock(t.Context(), 2*time.Minute))
	require.NotEmpty(t, again())
}

func TestSoftDelete_QueueForgetsTheOldestJob(t *testing.T) {
	b, _ := controlled(t, Options{Realism: Realism{SoftDelete: true}})
	b.deleteGameServer(t, b.mock)
	b.deleteGameServer(t, b.gameServer(t, "mock-1"))
	for i := range keptJobs {
		d, _, err := b.PlantDomain(Seed{Name: fmt.Sprint("other-", i)})
		require.NoError(t, err)
		g, err := b.ConnectGameServer(d.ID, "mock-1")
		require.NoError(t, err)
		require.Empty(t, b.gameServer(t, "mock-1"))
		require.Equal(t, 200, b.call(t, "DELETE", "/gameserver/"+g.ID, "", "X-Takaro-Token", b.newToken(t, d.ID)).status)
	}
	b.deleteGameServer(t, b.gameServer(t, "unrelated"))
	require.NotEmpty(t, b.gameServer(t, "mock-1"), "the purge of the domain ran again and took all its records")
}

func TestSoftDelete_OfTheDomain(t *testing.T) {
	b, c := controlled(t, Options{Realism: Realism{SoftDelete: true}})
	b.deleteGameServer(t, b.gameServer(t, "other"))
	require.Equal(t, 200, b.call(t, "DELETE", "/domain/"+b.domain.ID, "").status)
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"ACTIVE"}`).status)
	require.NoError(t, c.SaveSnapshot(t.Context(), "a"))
	require.Empty(t, b.gameServer(t, "mock-1"))
	require.NoError(t, c.SetRealism(t.Context(), Realism{}))
	require.NotEmpty(t, b.gameServer(t, "mock-1"), "switched off: all names are available")
	require.NoError(t, c.RestoreSnapshot(t.Context(), "a", false))
	require.Empty(t, b.gameServer(t, "mock-1"), "a backup has the soft-deleted rows")
}

func TestInactiveSessions_AnswerTheState(t *testing.T) {
	b, _ := controlled(t, Options{})
	login := b.call(t, "POST", "/login", `{"username":"root@`+b.domain.ID+`.com","password":"`+b.root+`"}`)
	require.Equal(t, 200, login.status, login.raw)
	as := []string{"X-Takaro-Token", "", "Authorization", "Bearer " + login.data(t)["token"].(string)}
	assert.Equal(t, 200, b.call(t, "POST", "/role/search", "", as...).status)
	for state, want := range map[string]string{StateMaintenance: "Domain is in maintenance mode.", StateDisabled: "Domain is disabled."} {
		require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"`+state+`"}`).status)
		refused := b.call(t, "POST", "/role/search", "", as...)
		assert.Equal(t, 400, refused.status, state)
		code, message := refused.problem(t)
		assert.Equal(t, codeBadRequest, code, state)
		assert.Contains(t, message, want)
		assert.Equal(t, 401, b.call(t, "GET", "/me", "", as...).status, "a path that does not check the state")
	}
}

func TestRealism_IsOffByDefault(t *testing.T) {
	b, c := controlled(t, Options{})
	got, err := c.Realism(t.Context())
	require.NoError(t, err)
	assert.Equal(t, Realism{}, got)
	require.NoError(t, c.SetRealism(t.Context(), FullRealism()))
	got, err = c.Realism(t.Context())
	require.NoError(t, err)
	assert.Equal(t, FullRealism(), got)
	assert.Equal(t, 400, b.call(t, "PUT", "/__control/realism", `{"softdeletes":true}`).status)
	assert.Equal(t, 400, b.call(t, "POST", "/__control/clock", `{"advance":"late"}`).status)
}

func TestAdvanceClock_EndsTokens(t *testing.T) {
	b, c := controlled(t, Options{TokenLifetime: time.Hour})
	require.NoError(t, c.AdvanceClock(t.Context(), 2*time.Hour))
	assert.Equal(t, 403, b.call(t, "GET", "/me", "").status)
	require.NoError(t, c.AdvanceClock(t.Context(), -2*time.Hour))
	assert.Equal(t, 200, b.call(t, "GET", "/me", "").status)
}
