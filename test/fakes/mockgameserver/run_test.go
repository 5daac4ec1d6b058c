// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
)

func TestSavedSimulationWins(t *testing.T) {
	s := newStage(t)
	first := s.start(map[string]string{"MOCK_SIM_AUTO_START": "true", "MOCK_SIM_CHAT_FREQUENCY": "100", "MOCK_TOTAL_PLAYERS": "4"})
	s.eventually("it is saved", func() bool {
		return strings.Contains(s.saved("config"), `"chatMessage":{"frequency":100,"enabled":true}`)
	})
	require.Contains(t, s.saved("state"), `"isRunning":true`)
	s.eventually("events come", func() bool { return s.takaro.ConnectorCounts().Events["mock-1"] > 2 })
	require.True(t, s.server().Reachable)
	require.Equal(t, "GENERIC", s.server().Type)
	require.EqualValues(t, 4, s.data.SCard(t.Context(), "gameserver:mock-1:players").Val())
	for path, want := range map[string]string{":3002/healthz": `{"healthy":true}`, ":3002/readyz": `{"healthy":false}`} {
		code, body := first.probe("http://10.0.0.1" + path)
		assert.Equal(t, []any{200, want}, []any{code, body})
	}
	code, _ := first.probe("http://10.0.0.1:3003/healthz")
	assert.Equal(t, http.StatusBadGateway, code, "nothing listens on that port")
	first.stop()
	require.Zero(t, <-first.exit)

	s.start(map[string]string{"MOCK_SIM_CHAT_FREQUENCY": "10", "MOCK_TOTAL_PLAYERS": "2"})
	s.eventually("it is back", func() bool { return s.takaro.ConnectorCounts().Identified["mock-1"] == 2 })
	before := s.takaro.ConnectorCounts().Events["mock-1"]
	s.eventually("it still simulates", func() bool { return s.takaro.ConnectorCounts().Events["mock-1"] > before })
	require.Contains(t, s.saved("config"), `"chatMessage":{"frequency":100,"enabled":true}`)
	require.EqualValues(t, 4, s.data.SCard(t.Context(), "gameserver:mock-1:players").Val())

	for _, c := range [][2]string{
		{"setSimulationEventFrequency items 7", `"success":true`}, {"setSimulationEventFrequency item 7", `"success":false`},
		{"setSimulationEventFrequency chat 101", `"success":false`}, {"stopSimulation", `"success":true`},
		{"simulationStatus", `\"isRunning\":false`}, {"connectAll", "4 players"}, {"version", "Mock game server"}, {"dance", "Unknown command"},
	} {
		assert.Contains(t, s.command(c[0]), c[1], c[0])
	}
	assert.Contains(t, s.saved("state"), `"isRunning":false`)
	assert.Contains(t, s.saved("config"), `"itemInteraction":{"frequency":7,"enabled":true}`)
	assert.Equal(t, "true", s.data.HGet(t.Context(), "gameserver:mock-1:player:0:meta", "online").Val())
	assert.Contains(t, s.command("setSimulationFrequency 33"), `"success":true`)
	assert.Equal(t, 7, strings.Count(s.saved("config"), `"frequency":33`))
}

func TestExits(t *testing.T) {
	s := newStage(t)
	plant := func(name, state string, limit int) string {
		d, _, err := s.takaro.PlantDomain(takaro.Seed{Name: name, State: state, MaxGameServers: limit})
		require.NoError(t, err)
		if limit == 1 {
			_, err = s.takaro.ConnectGameServer(d.ID, "another")
			require.NoError(t, err)
		}
		return d.RegistrationToken
	}
	for name, change := range map[string]map[string]string{
		"bad registration token": {"TAKARO_MOCK_REGISTRATION_TOKEN": "wrong"},
		"disabled domain":        {"TAKARO_MOCK_REGISTRATION_TOKEN": plant("disabled", takaro.StateDisabled, 2)},
		"maintenance":            {"TAKARO_MOCK_REGISTRATION_TOKEN": plant("maintenance", takaro.StateMaintenance, 2)},
		"identity too short":     {"TAKARO_MOCK_IDENTITY_TOKEN": "ab"},
		"limit reached":          {"TAKARO_MOCK_REGISTRATION_TOKEN": plant("full", "", 1)},
		"wrong redis password":   {"REDIS_PASSWORD": "a-guess"},
		"no redis password":      {"REDIS_PASSWORD": ""},
		"unknown redis name":     {"REDIS_HOST": "not a name"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.start(change)
			select {
			case exit := <-a.exit:
				require.Equal(t, 1, exit)
			case <-time.After(limit):
				t.Fatal("it did not exit: " + a.log())
			}
			assert.Contains(t, a.log(), "Failed to register with Takaro server")
			assert.NotContains(t, a.log(), "a-guess")
		})
	}
}

func TestDefaultTokensRegisterNothing(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"TAKARO_MOCK_REGISTRATION_TOKEN", "TAKARO_MOCK_IDENTITY_TOKEN"} {
		a := s.start(map[string]string{name: map[bool]string{true: defaultIdentity,
			false: defaultRegistration}[strings.Contains(name, "IDENTITY")]})
		s.eventually("it serves", func() bool { code, _ := a.probe("http://10.0.0.1:3002/healthz"); return code == 200 })
		select {
		case exit := <-a.exit:
			t.Fatalf("it exited with %d", exit)
		case <-time.After(50 * time.Millisecond): // much longer than its start, in which it would connect
		}
		assert.Empty(t, a.log())
	}
	assert.Zero(t, s.takaro.ConnectorCounts().Connections)
}

func TestRefusedConnectionsAreTriedAgain(t *testing.T) {
	s := newStage(t)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	a := s.start(map[string]string{"T_WS_URL": "ws://" + closed.Addr().String()})
	s.eventually("it tries again", func() bool { return strings.Count(a.log(), "connection refused") > 1 })

	require.NoError(t, s.redis.Stop())
	b := s.start(nil)
	s.eventually("it tries Redis again", func() bool { return strings.Count(b.log(), "Failed to connect to Takaro") > 1 })
	code, _ := b.probe("http://10.0.0.1:3002/healthz")
	assert.Equal(t, 200, code)
	require.NoError(t, s.redis.Restart(t.Context()))
	s.eventually("it goes on", func() bool { return s.data.SCard(t.Context(), "gameserver:mock-1:players").Val() == 10 })
	for _, one := range []*actor{a, b} {
		one.stop()
		assert.Zero(t, <-one.exit)
	}
}

func TestSilentConnectorIsAskedAgain(t *testing.T) {
	s := newStage(t)
	_, err := s.takaro.InjectFault(takaro.Fault{Kind: takaro.FaultConnectorSilent, Times: 2})
	require.NoError(t, err)
	s.start(map[string]string{"T_WS_HEARTBEAT_INTERVAL_MS": "50"})
	s.eventually("it registers", func() bool { return s.server().Reachable })
}

// Takaro answers 400 if a game server returns an object.
func TestListsAreArrays(t *testing.T) {
	s := newStage(t, func(o *takaro.Options) { o.Realism.ListArrays = true })
	s.start(nil)
	for _, action := range []string{"listItems", "listEntities", "listBans", "getPlayers"} {
		s.eventually(action, func() bool { return s.takaro.ConnectorCounts().Lists[action] == takaro.ListCount{Arrays: 1} })
	}
}

func TestNeverIdentifiesAgain(t *testing.T) {
	s := newStage(t)
	a := s.start(nil)
	// The program logs this later than Takaro counts the identification.
	s.eventually("it knows that it is registered", func() bool { return strings.Contains(a.log(), "Successfully identified") })
	require.Equal(t, 1, s.takaro.DropConnections("mock-1"))
	s.eventually("it is thrown out again and again", func() bool { return s.takaro.ConnectorCounts().ThrownOut > 1 })
	s.eventually("takaro has seen it", func() bool { return !s.server().Reachable })
	require.Equal(t, map[string]int{"mock-1": 1}, s.takaro.ConnectorCounts().Identified)
	_, err := s.takaro.InjectFault(takaro.Fault{Kind: takaro.FaultConnectorRefuse, Times: 1})
	require.NoError(t, err)
	s.eventually("it gives up", func() bool { return strings.Contains(a.log(), "Uncaught 'error' event") })
	code, _ := a.probe("http://10.0.0.1:3002/healthz")
	assert.Equal(t, 200, code, "and still says that it is healthy")
	a.stop()
	require.Zero(t, <-a.exit)
	s.start(nil)
	s.eventually("only a restart helps", func() bool { return s.server().Reachable })
}

func TestAccessControl(t *testing.T) {
	s := newStage(t)
	user := []any{"ACL", "SETUSER", "one", "reset", "on", ">secret", "~gameserver:mock-1:*", "+@all", "-@dangerous", "-@admin"}
	require.NoError(t, s.data.Do(t.Context(), user...).Err())
	as := map[string]string{"REDIS_USERNAME": "one", "REDIS_PASSWORD": "secret", "REDIS_PORT": strconv.Itoa(s.redis.Port)}
	s.start(as)
	s.eventually("it writes its own keys", func() bool { return s.data.SCard(t.Context(), "gameserver:mock-1:players").Val() == 10 })
	as["TAKARO_MOCK_IDENTITY_TOKEN"] = "mock-2"
	b := s.start(as)
	s.eventually("it may not write others'", func() bool { return strings.Contains(b.log(), "NOPERM") })
}
