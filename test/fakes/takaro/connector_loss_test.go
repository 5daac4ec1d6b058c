// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (b *bench) server(t *testing.T, identity string) GameServer {
	t.Helper()
	d, found := b.Domain(b.domain.ID)
	require.True(t, found)
	for _, g := range d.GameServers {
		if g.IdentityToken == identity {
			return g
		}
	}
	t.Fatalf("no game server with identity %s", identity)
	return GameServer{}
}

func TestConnectorCutsConnections(t *testing.T) {
	for name, cut := range map[string]func(t *testing.T, b *bench){
		"new registration token": func(t *testing.T, b *bench) {
			require.Equal(t, 200, b.call(t, "DELETE", "/gameserver/registrationToken", "").status)
		},
		"domain disabled": func(t *testing.T, b *bench) {
			require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"DISABLED"}`).status)
		},
		"soft delete": func(t *testing.T, b *bench) {
			require.Equal(t, 200, b.call(t, "DELETE", "/domain/"+b.domain.ID, "").status)
		},
		"hard delete": func(t *testing.T, b *bench) {
			require.Equal(t, 200, b.call(t, "DELETE", "/domain/"+b.domain.ID+"?hardDelete=true", "").status)
		},
		"game server deleted": func(t *testing.T, b *bench) {
			require.Equal(t, 200, b.call(t, "DELETE", "/gameserver/"+b.server(t, "mock-2").ID, "").status)
		},
		"dropped by identity": func(t *testing.T, b *bench) { require.Equal(t, 1, b.DropConnections("mock-2")) },
		"dropped by domain":   func(t *testing.T, b *bench) { require.Equal(t, 1, b.DropConnections(b.domain.ID)) },
		"all dropped":         func(t *testing.T, b *bench) { require.Equal(t, 1, b.DropConnections("")) },
		"closed":              func(_ *testing.T, b *bench) { b.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := startBench(t)
			end := dial(t, b)
			require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
			require.Zero(t, b.DropConnections("somebody"))
			cut(t, b)
			end.readEnd()
		})
	}
}

func TestMaintenanceKeepsConnections(t *testing.T) {
	b := startBench(t)
	end := dial(t, b)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
	require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"MAINTENANCE"}`).status)
	end.send(`{"type":"ping"}`)
	require.Equal(t, "pong", end.read().Type)
}

func TestLostConnectionShowsLater(t *testing.T) {
	b := startBench(t)
	end := dial(t, b)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
	require.True(t, b.server(t, "mock-2").Reachable)
	require.NoError(t, end.conn.Close())
	require.Eventually(t, func() bool { return !b.server(t, "mock-2").Connected }, limit, time.Millisecond)
	require.Eventually(t, func() bool { return !b.server(t, "mock-2").Reachable }, limit, time.Millisecond)
	require.True(t, b.server(t, "mock-1").Reachable, "planted ones stay")
	require.Nil(t, dial(t, b).identify("mock-2", b.domain.RegistrationToken).Error)
	require.True(t, b.server(t, "mock-2").Reachable)
}

func TestUnidentifiedIsThrownOut(t *testing.T) {
	b := startBench(t)
	dial(t, b).readEnd()
	hasty := dial(t, b)
	hasty.send(`{"type":"gameEvent","payload":{}}`)
	hasty.readEnd()
	assert.Equal(t, 2, b.ConnectorCounts().ThrownOut)
}

func TestConnectorFaults(t *testing.T) {
	b := startBench(t)
	_, err := b.InjectFault(Fault{Kind: FaultConnectorRefuse, Path: "/domain"})
	require.ErrorContains(t, err, "connector-refuse")
	_, err = b.InjectFault(Fault{Kind: FaultConnectorRefuse, Times: 1})
	require.NoError(t, err)
	_, res, err := websocket.DefaultDialer.DialContext(t.Context(), b.ConnectorURL(), nil)
	if res != nil {
		_ = res.Body.Close()
	}
	require.Error(t, err)
	require.Equal(t, 200, b.call(t, "GET", "/healthz", "").status)

	_, err = b.InjectFault(Fault{Kind: FaultConnectorSilent, Times: 1})
	require.NoError(t, err)
	end := dial(t, b)
	end.send(`{"type":"identify","payload":{"identityToken":"mock-2","registrationToken":"` + b.domain.RegistrationToken + `"}}`)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error, "only the second one is answered")
	require.Equal(t, 1, b.ConnectorCounts().Identified["mock-2"])
}

func TestControlDropsConnections(t *testing.T) {
	b := newBench(t, Options{Control: true, ConnectorListen: "127.0.0.1:0"})
	require.NoError(t, b.Start())
	t.Cleanup(b.Close)
	end := dial(t, b)
	require.Nil(t, end.identify("mock-2", b.domain.RegistrationToken).Error)
	require.JSONEq(t, `{"dropped":0}`, b.call(t, "DELETE", "/__control/connections?of=mock-1", "").raw)
	require.JSONEq(t, `{"dropped":1}`, b.call(t, "DELETE", "/__control/connections?of=mock-2", "").raw)
	end.readEnd()
}

func TestStartLeavesNothingBehindWhenAPortIsTaken(t *testing.T) {
	b := startBench(t)
	taken := b.ConnectorURL()[len("ws://"):]
	require.ErrorContains(t, New(Options{ConnectorListen: taken}).Start(), "connector")
	require.ErrorContains(t, New(Options{ConnectorListen: "127.0.0.1:0", Listen: b.URL()[len("http://"):]}).Start(), "cannot listen")
	require.Empty(t, New(Options{}).ConnectorURL())
}
