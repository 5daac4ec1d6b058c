// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limit bounds each wait of these tests, which takes milliseconds.
const limit = 10 * time.Second

// gameServerEnd is the client's side of a WebSocket.
type gameServerEnd struct {
	*testing.T
	conn *websocket.Conn
}

// startBench returns a bench that listens, with short intervals.
func startBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, Options{Listen: "127.0.0.1:0", ConnectorListen: "127.0.0.1:0", IdentifyTimeout: 300 * time.Millisecond,
		PingInterval: 20 * time.Millisecond, ReachableInterval: 150 * time.Millisecond, RequestTimeout: 100 * time.Millisecond})
	require.NoError(t, b.Start())
	t.Cleanup(b.Close)
	return b
}

// dial opens a WebSocket and reads the greeting.
func dial(t *testing.T, b *bench) *gameServerEnd {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(t.Context(), b.ConnectorURL(), nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	t.Cleanup(func() { _ = conn.Close() })
	c := &gameServerEnd{t, conn}
	hello := c.read()
	require.Equal(t, "connected", hello.Type)
	require.Contains(t, string(hello.Payload), `"clientId":"client-`)
	require.NotEmpty(t, hello.RequestID)
	return c
}

func (c *gameServerEnd) read() message {
	c.Helper()
	require.NoError(c, c.conn.SetReadDeadline(time.Now().Add(limit)))
	var m message
	require.NoError(c, c.conn.ReadJSON(&m))
	return m
}

// readEnd waits until the server has cut the connection.
func (c *gameServerEnd) readEnd() {
	c.Helper()
	require.NoError(c, c.conn.SetReadDeadline(time.Now().Add(limit)))
	for {
		_, _, err := c.conn.ReadMessage()
		if err != nil {
			require.NotContains(c, err.Error(), "i/o timeout")
			return
		}
	}
}

func (c *gameServerEnd) send(text string) {
	c.Helper()
	require.NoError(c, c.conn.WriteMessage(websocket.TextMessage, []byte(text)))
}

func (c *gameServerEnd) identify(identity, token string) identifyAnswer {
	c.Helper()
	payload, err := json.Marshal(map[string]string{"identityToken": identity, "registrationToken": token})
	require.NoError(c, err)
	c.send(`{"type":"identify","payload":` + string(payload) + `}`)
	return c.answer()
}

func (c *gameServerEnd) answer() (out identifyAnswer) {
	c.Helper()
	m := c.read()
	require.Equal(c, "identifyResponse", m.Type)
	require.NoError(c, json.Unmarshal(m.Payload, &out))
	return out
}

// echo answers requests: commands with their own text, all others as reachable. It returns when the
// connection ends.
func (c *gameServerEnd) echo() {
	_ = c.conn.SetReadDeadline(time.Time{})
	for {
		var m struct {
			RequestID string
			Payload   struct{ Action, Args string }
		}
		if c.conn.ReadJSON(&m) != nil {
			return
		}
		payload := any(map[string]any{"connectable": true, "latency": 7})
		if m.Payload.Action == "executeConsoleCommand" {
			payload = map[string]any{"rawResult": m.Payload.Args, "success": true}
		}
		_ = c.conn.WriteJSON(map[string]any{"type": "response", "requestId": m.RequestID, "payload": payload})
	}
}

func TestConnectorRefusals(t *testing.T) {
	b := startBench(t)
	plant := func(name, state string) string {
		d, _, err := b.PlantDomain(Seed{Name: name, ExternalReference: name, State: state})
		require.NoError(t, err)
		return d.RegistrationToken
	}
	half, err := b.PlantHalfMadeDomain(Seed{Name: "half"})
	require.NoError(t, err)
	full := plant("full", "")
	require.Equal(t, identifyAnswer{}.Error, dial(t, b).identify("first", full).Error)
	taken := b.domain.RegistrationToken // the game server mock-1 of this domain already has that identity

	for name, c := range map[string]struct {
		payload string
		want    identifyError
	}{
		"no payload":  {`null`, identifyError{codeBadRequest, "No payload provided", 400}},
		"no identity": {`{"registrationToken":"x"}`, identifyError{codeBadRequest, "No identityToken provided", 400}},
		"no token":    {`{"identityToken":"abc"}`, identifyError{codeBadRequest, "No registrationToken provided", 400}},
		"identity no text": {`{"identityToken":3,"registrationToken":"x"}`, identifyError{codeBadRequest,
			"Invalid identityToken provided", 400}},
		"unknown token": {`{"identityToken":"abc","registrationToken":"x"}`, identifyError{codeNotFound, "Not found", 404}},
		"disabled domain": {`{"identityToken":"abc","registrationToken":"` + plant("off", StateDisabled) + `"}`,
			identifyError{codeNotFound, "Not found", 404}},
		"maintenance": {`{"identityToken":"abc","registrationToken":"` + plant("works", StateMaintenance) + `"}`,
			identifyError{codeBadRequest, "Domain is in maintenance mode. Please try again later.", 400}},
		"half-made domain": {`{"identityToken":"abc","registrationToken":"` + half.RegistrationToken + `"}`, identifyError{codeInternal,
			"Internal server error", 500}},
		"identity too short": {`{"identityToken":"ab","registrationToken":"` + taken + `"}`, identifyError{codeValidation,
			"Validation error", 400}},
		"name too long": {`{"identityToken":"abc","name":"` + string(make51()) + `","registrationToken":"` + taken + `"}`,
			identifyError{codeValidation, "Validation error", 400}},
		"name taken": {`{"identityToken":"abc","name":"mock-1","registrationToken":"` + taken + `"}`, identifyError{codeConflict,
			"Unique constraint violation", 409}},
		"limit reached": {`{"identityToken":"second","registrationToken":"` + full + `"}`, identifyError{codeBadRequest,
			"Max game servers reached", 400}},
	} {
		t.Run(name, func(t *testing.T) {
			end := dial(t, b)
			end.send(`{"type":"identify","payload":` + c.payload + `}`)
			answer := end.answer()
			require.NotNil(t, answer.Error)
			assert.Equal(t, c.want, *answer.Error)
			assert.Empty(t, answer.GameServerID)
		})
	}
	assert.Equal(t, 12, b.ConnectorCounts().Refused)
	assert.Equal(t, map[string]int{"first": 1}, b.ConnectorCounts().Identified)
	assert.Zero(t, b.Count("", "/resolve-registration-token"))
}

func make51() []byte {
	out := make([]byte, 51)
	for i := range out {
		out[i] = 'n'
	}
	return out
}

func TestConnectorServesGameServers(t *testing.T) {
	b := startBench(t)
	end := dial(t, b)
	id := end.identify("mock-2", b.domain.RegistrationToken).GameServerID
	require.NotEmpty(t, id)
	again := dial(t, b) // requests go to the later connection; the end of the earlier one changes nothing
	require.Equal(t, id, again.identify("mock-2", b.domain.RegistrationToken).GameServerID)
	require.NoError(t, end.conn.Close())
	pinged := make(chan struct{}, 100)
	again.conn.SetPingHandler(func(string) error { pinged <- struct{}{}; return nil })
	for range 3 {
		again.send(`{"type":"gameEvent","payload":{"type":"log","data":{"msg":"hi"}}}`)
	}
	again.send(`{"type":"ping","payload":null}`)
	require.Equal(t, "pong", again.read().Type)
	again.send(`nonsense`)
	require.Equal(t, "error", again.read().Type)
	require.Equal(t, 3, b.ConnectorCounts().Events["mock-2"])
	require.Equal(t, 2, b.ConnectorCounts().Identified["mock-2"])

	silent := b.call(t, "GET", "/gameserver/"+id+"/reachability", "")
	require.Equal(t, map[string]any{"connectable": false, "reason": "Request timed out"}, silent.data(t))
	go again.echo()
	require.Equal(t, map[string]any{"connectable": true, "latency": 7.0}, b.call(t, "GET", "/gameserver/"+id+"/reachability", "").data(t))
	done := b.call(t, "POST", "/gameserver/"+id+"/command", `{"command":"say hi"}`)
	require.Equal(t, map[string]any{"rawResult": `{"command":"say hi"}`, "success": true}, done.data(t))
	select {
	case <-pinged:
	case <-time.After(limit):
		t.Fatal("no ping came")
	}
}
