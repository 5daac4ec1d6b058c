// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event sends one event and waits until the connector has read it.
func (c *gameServerEnd) event() {
	c.Helper()
	c.send(`{"type":"gameEvent","payload":{"type":"log","data":{"msg":"hi"}}}`)
	c.send(`{"type":"ping"}`)
	require.Equal(c, "pong", c.read().Type)
}

func TestConnectorSync_ForgetsWhatItDoesNotFind(t *testing.T) {
	set := func(body string) func(*testing.T, *bench, *ControlClient) {
		return func(t *testing.T, b *bench, _ *ControlClient) {
			require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, body).status)
		}
	}
	fail := func(f Fault) func(*testing.T, *bench, *ControlClient) {
		return func(t *testing.T, _ *bench, c *ControlClient) {
			_, err := c.InjectFault(t.Context(), f)
			require.NoError(t, err)
		}
	}
	for name, tc := range map[string]struct {
		change func(t *testing.T, b *bench, c *ControlClient)
		kept   bool
	}{
		"nothing":       {func(*testing.T, *bench, *ControlClient) {}, true},
		"maintenance":   {set(`{"state":"MAINTENANCE"}`), false},
		"renamed":       {set(`{"name":"renamed"}`), true},
		"not reachable": {func(t *testing.T, b *bench, _ *ControlClient) { b.believe(t, "mock-2", false, true) }, false},
		"not enabled":   {func(t *testing.T, b *bench, _ *ControlClient) { b.believe(t, "mock-2", true, false) }, false},
		"emptied": {func(t *testing.T, _ *bench, c *ControlClient) {
			require.NoError(t, c.EmptyDatabase(t.Context(), false))
		}, false},
		"no root user": {func(t *testing.T, b *bench, _ *ControlClient) {
			b.mu.Lock()
			defer b.mu.Unlock()
			d := b.state.domains[b.domain.ID]
			delete(d.users, d.root().id)
		}, false},
		"list fails":    {fail(Fault{Kind: FaultErrorBefore, Path: "/gameserver/search"}), false},
		"no token":      {fail(Fault{Kind: FaultTokenRevoked}), false},
		"down":          {fail(Fault{Kind: FaultDown}), false},
		"other failure": {fail(Fault{Kind: FaultErrorBefore, Path: "/user"}), true},
		"slow list":     {fail(Fault{Kind: FaultLatency, Latency: time.Millisecond}), true},
		"user rejected": {fail(Fault{Kind: FaultErrorBefore, Method: "GET"}), true},
	} {
		t.Run(name, func(t *testing.T) {
			b, c := controlled(t, Options{ConnectorListen: "127.0.0.1:0", Realism: Realism{ConnectorSync: true}})
			end := dial(t, b)
			id := end.identify("mock-2", b.domain.RegistrationToken).GameServerID
			end.event()
			tc.change(t, b, c)
			require.NoError(t, c.AdvanceClock(t.Context(), SyncInterval-time.Second))
			end.event()
			require.NoError(t, c.AdvanceClock(t.Context(), time.Second))
			require.NoError(t, c.ClearFaults(t.Context()))
			end.event()
			counts, err := c.ConnectorCounts(t.Context())
			require.NoError(t, err)
			want := map[bool][2]int{true: {3, 0}, false: {2, 1}}[tc.kept]
			assert.Equal(t, want, [2]int{counts.Events["mock-2"], counts.RefusedEvents["mock-2"]})
			if name != "maintenance" {
				return
			}
			require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"ACTIVE"}`).status)
			require.NoError(t, c.AdvanceClock(t.Context(), SyncInterval))
			end.event()
			assert.Equal(t, 2, b.ConnectorCounts().RefusedEvents["mock-2"], "a later round does not find it again")
			go end.echo()
			assert.Equal(t, 200, b.call(t, "POST", "/gameserver/"+id+"/command", `{"command":"say hi"}`).status)
			assert.Equal(t, true, b.call(t, "GET", "/gameserver/"+id+"/reachability", "").data(t)["connectable"])
			assert.True(t, b.server(t, "mock-2").Reachable)
			again := dial(t, b)
			require.Nil(t, again.identify("mock-2", b.domain.RegistrationToken).Error)
			again.event()
			assert.Equal(t, 3, b.ConnectorCounts().Events["mock-2"], "a new connection is heard")
		})
	}
}

// believe sets the state of a game server in the database and leaves its connection open.
func (b *bench) believe(t *testing.T, identity string, reachable, enabled bool) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.state.domains[b.domain.ID].serverByIdentity(identity)
	require.NotNil(t, g)
	g.reachable, g.enabled = reachable, enabled
}

func TestSyncConnector_OnDemand(t *testing.T) {
	b, c := controlled(t, Options{ConnectorListen: "127.0.0.1:0"})
	end := dial(t, b)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
	require.NoError(t, c.AdvanceClock(t.Context(), 10*SyncInterval))
	for _, want := range []int{0, 1, 0} {
		forgotten, err := c.SyncConnector(t.Context(), want == 1)
		require.NoError(t, err)
		assert.Equal(t, want, forgotten)
	}
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error, "the same connection may identify again")
	end.event()
	assert.Equal(t, 1, b.ConnectorCounts().Events["mock-2"])
}

// TestConnectorSync_SeesTheStateOfItsTime ends a maintenance in the first request after the round.
func TestConnectorSync_SeesTheStateOfItsTime(t *testing.T) {
	b, _ := controlled(t, Options{ConnectorListen: "127.0.0.1:0", Realism: Realism{ConnectorSync: true}})
	end := dial(t, b)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"MAINTENANCE"}`).status)
	b.offset.Add(int64(SyncInterval)) // time passes without AdvanceClock
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"ACTIVE"}`).status)
	end.event()
	assert.Equal(t, 1, b.ConnectorCounts().RefusedEvents["mock-2"])
}

func TestSoftDelete_LeavesTheConnectionOpen(t *testing.T) {
	b, _ := controlled(t, Options{ConnectorListen: "127.0.0.1:0", Realism: Realism{SoftDelete: true}})
	end := dial(t, b)
	b.deleteGameServer(t, end.identify("mock-2", b.domain.RegistrationToken).GameServerID)
	end.event()
}

func TestListArrays_RefusesAnythingElse(t *testing.T) {
	b, c := controlled(t, Options{ConnectorListen: "127.0.0.1:0", Realism: Realism{ListArrays: true}})
	end := dial(t, b)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
	var actions []string
	for range listActions {
		m := end.read()
		var in struct{ Action string }
		require.NoError(t, json.Unmarshal(m.Payload, &in))
		actions = append(actions, in.Action)
		switch in.Action {
		case "listItems":
			end.send(`{"type":"response","requestId":"` + m.RequestID + `","payload":[{"code":"wood"}]}`)
		case "listEntities":
			end.send(`{"type":"response","requestId":"` + m.RequestID + `","payload":{"items":[]}}`)
		case "listBans":
			end.send(`{"type":"error","requestId":"` + m.RequestID + `","payload":{"message":"unknown"}}`)
		case "getPlayers":
			require.NoError(t, end.conn.Close()) // never answered
		}
	}
	assert.Equal(t, listActions, actions)
	want := map[string]ListCount{
		"listItems": {Arrays: 1}, "listEntities": {Refused: 1}, "listBans": {Refused: 1}, "getPlayers": {Unanswered: 1},
	}
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		counts, err := c.ConnectorCounts(b.stopped)
		assert.NoError(t, err)
		assert.Equal(t, want, counts.Lists)
	}, limit, time.Millisecond)
}
