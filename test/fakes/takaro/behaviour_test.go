// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHalfMadeDomain(t *testing.T) {
	b := newBench(t, Options{})
	d, err := b.PlantHalfMadeDomain(Seed{ExternalReference: "half"})
	require.NoError(t, err)
	assert.False(t, d.HasRoot)
	assert.Equal(t, 500, b.call(t, "POST", "/token", `{"domainId":"`+d.ID+`"}`).status)
	assert.Equal(t, 409, b.call(t, "POST", "/domain", `{"name":"again","externalReference":"half"}`).status)
	assert.Equal(t, 200, b.call(t, "DELETE", "/domain/"+d.ID+"?hardDelete=true", "").status)
	assert.Equal(t, 200, b.call(t, "POST", "/domain", `{"name":"again","externalReference":"half"}`).status)
	made, found := b.DomainByReference("half")
	require.True(t, found)
	assert.True(t, made.HasRoot)
	assert.NotEqual(t, d.ID, made.ID)
	_, err = b.PlantHalfMadeDomain(Seed{ExternalReference: "half"})
	assert.ErrorContains(t, err, "half")
	_, _, err = b.PlantDomain(Seed{Name: "x"})
	assert.ErrorContains(t, err, "name")
}

func TestDomainIsFoundBeforeItIsComplete(t *testing.T) {
	s := New(Options{CreateLatency: time.Hour})
	require.NoError(t, s.Start())
	b := &bench{Server: s}
	done := make(chan answer, 1)
	go func() { done <- b.call(t, "POST", "/domain", `{"name":"slow","externalReference":"slow"}`) }()
	require.Eventually(t, func() bool { _, found := s.DomainByReference("slow"); return found }, 10*time.Second, time.Millisecond)
	d, _ := s.DomainByReference("slow")
	assert.False(t, d.HasRoot)
	s.Close() // ends the wait as a crash of the real API would
	assert.Equal(t, 500, (<-done).status)
}

func TestIdentitiesOutliveUsersAndDomains(t *testing.T) {
	b := newBench(t, Options{})
	b.PlantIdentity("Known@example.com", "their-own-password")
	a := b.call(t, "POST", "/user", `{"name":"known","email":"known@EXAMPLE.com","password":"fresh-password"}`)
	require.Equal(t, 200, a.status)
	assert.Equal(t, "Known@example.com", a.data(t)["email"])
	assert.True(t, b.PasswordIs("known@example.com", "their-own-password"))
	assert.False(t, b.PasswordIs("known@example.com", "fresh-password"))
	require.True(t, b.RemoveDomain(b.domain.ID))
	assert.False(t, b.RemoveDomain(b.domain.ID))
	assert.Equal(t, 200, b.call(t, "POST", "/login", `{"username":"alice@example.com","password":"correct-horse"}`).status)
	assert.Equal(t, 401, b.call(t, "GET", "/me", "").status)
	assert.Equal(t, 200, b.call(t, "POST", "/user", `{"name":"alice","email":"a@example.com","password":""}`, "X-Takaro-Token",
		b.tokenOfNewDomain(t)).status)
	assert.False(t, b.PasswordIs("a@example.com", ""))
}

func (b *bench) tokenOfNewDomain(t *testing.T) string {
	t.Helper()
	d, _, err := b.PlantDomain(Seed{})
	require.NoError(t, err)
	return b.newToken(t, d.ID)
}

func TestStatesAndSessions(t *testing.T) {
	b := newBench(t, Options{})
	login := func(name, password string) string {
		a := b.call(t, "POST", "/login", `{"username":"`+name+`","password":"`+password+`"}`)
		require.Equal(t, 200, a.status, a.raw)
		return "Bearer " + a.data(t)["token"].(string)
	}
	root, alice := login("root@"+b.domain.ID+".com", b.root), login("alice@example.com", "correct-horse")
	as := func(who string, more ...string) []string {
		return append([]string{"X-Takaro-Token", "", "Authorization", who}, more...)
	}
	assert.Equal(t, 200, b.call(t, "POST", "/role/search", `{}`, as(root)...).status)
	assert.Equal(t, 403, b.call(t, "POST", "/role/search", `{}`, as(alice)...).status)
	a := b.call(t, "GET", "/me", "", as(alice, "X-Takaro-Domain", b.domain.ID)...)
	assert.Equal(t, 200, a.status)
	assert.Empty(t, a.header.Get("Set-Cookie"))
	assert.Equal(t, 200, b.call(t, "GET", "/me", "", as(alice, "Cookie", "takaro-domain="+b.domain.ID)...).status)
	assert.Equal(t, 401, b.call(t, "GET", "/me", "", as(alice, "X-Takaro-Domain", "not-of-alice")...).status)

	require.Equal(t, 200, b.call(t, "PUT", "/user/"+b.alice, `{"isDashboardUser":false}`).status)
	code, message := b.call(t, "DELETE", "/user/"+nobody, "", as(alice)...).problem(t)
	assert.Equal(t, []string{codeBadRequest, "You must be a dashboard user"}, []string{code, message})

	for state, want := range map[string][2]string{
		StateMaintenance: {"Domain is in maintenance mode. Please try again later.",
			"Domain is in maintenance mode. Please try again later or contact support if the issue persists."},
		StateDisabled: {"Domain is disabled. Please contact support.", "Domain is disabled. Please contact support."},
	} {
		require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, `{"state":"`+state+`"}`).status)
		for _, path := range []string{"/role/" + b.admin, "/permissions", "/settings", "/gameserver/" + b.mock} {
			_, message := b.call(t, "GET", path, "").problem(t)
			assert.Equal(t, want[0], message, path)
			_, message = b.call(t, "GET", path, "", as(root, "X-Takaro-Domain", b.domain.ID)...).problem(t)
			assert.Equal(t, want[1], message, path)
		}
		assert.Equal(t, 200, b.call(t, "GET", "/user/"+b.alice, "").status)
		assert.Equal(t, map[string]int{StateMaintenance: 200, StateDisabled: 404}[state],
			b.call(t, "POST", "/resolve-registration-token", `{"registrationToken":"`+b.domain.RegistrationToken+`"}`).status)
	}
	require.Equal(t, 401, b.call(t, "GET", "/me", "", as(alice)...).status, "no ACTIVE domain to choose")
	require.Equal(t, 200, b.call(t, "POST", "/logout", "", as(root)...).status)
	assert.Equal(t, 401, b.call(t, "GET", "/me", "", as(root, "X-Takaro-Domain", b.domain.ID)...).status)
}

func TestGameServers(t *testing.T) {
	b := newBench(t, Options{})
	same, err := b.ConnectGameServer(b.domain.ID, "mock-1")
	require.NoError(t, err)
	assert.Equal(t, b.mock, same.ID)
	_, err = b.ConnectGameServer(b.domain.ID, "mock-2")
	require.NoError(t, err)
	_, err = b.ConnectGameServer(b.domain.ID, "mock-3")
	assert.ErrorContains(t, err, "Max game servers reached")
	_, err = b.ConnectGameServer(b.domain.ID, "xy")
	assert.ErrorContains(t, err, "xy")
	_, err = b.ConnectGameServer("no-such-domain", "mock-1")
	assert.ErrorIs(t, err, ErrNoSuchObject)
	assert.ErrorIs(t, b.SetReachable(b.domain.ID, nobody, true), ErrNoSuchObject)

	record := b.state.domains[b.domain.ID].servers[b.mock]
	for body, moved := range map[string]bool{`{"name":"two"}`: false, `{"state":"ACTIVE"}`: true} {
		record.updated = "before"
		require.Equal(t, 200, b.call(t, "PUT", "/domain/"+b.domain.ID, body).status)
		assert.Equal(t, moved, record.updated != "before", "a state touches the game servers: %s", body)
	}

	rename := `{"name":"mock-2","type":"GENERIC","connectionInfo":"{}"}`
	assert.Equal(t, 409, b.call(t, "PUT", "/gameserver/"+b.mock, rename).status)
	assert.Equal(t, 400, b.call(t, "POST", "/gameserver", `{"name":"third","type":"GENERIC","connectionInfo":"{}"}`).status)
	reach := "/gameserver/" + b.mock + "/reachability"
	assert.Equal(t, map[string]any{"connectable": true, "latency": 1.0}, b.call(t, "GET", reach, "").data(t))

	b.OnConsoleCommand(func(id, command string) (string, bool) { return command + " for " + id, true })
	command := b.call(t, "POST", "/gameserver/"+b.mock+"/command", `{"command":"simulationStatus"}`)
	assert.Equal(t, map[string]any{"rawResult": "simulationStatus for " + b.mock, "success": true}, command.data(t))

	require.Equal(t, 200, b.call(t, "DELETE", "/gameserver/registrationToken", "").status)
	assert.Equal(t, map[string]any{"connectable": false, "reason": "Request timed out"}, b.call(t, "GET", reach, "").data(t))
	assert.Equal(t, 500, b.call(t, "POST", "/gameserver/"+b.mock+"/command", `{"command":"x"}`).status)
	d, _ := b.Domain(b.domain.ID)
	assert.Equal(t, []bool{false, false, true, false}, []bool{d.GameServers[0].Reachable, d.GameServers[0].Connected,
		d.GameServers[1].Reachable, d.GameServers[1].Connected})
	require.NoError(t, b.SetReachable(b.domain.ID, b.mock, true))
	d, _ = b.Domain(b.domain.ID)
	assert.True(t, d.GameServers[0].Reachable)
	assert.Equal(t, 200, b.call(t, "DELETE", "/gameserver/"+b.mock, "").status)
	assert.Equal(t, 404, b.call(t, "DELETE", "/gameserver/"+b.mock, "").status)
}

// TestTwoThousandDomains pages through many domains while others are created and changed. Run it
// with the race detector.
func TestTwoThousandDomains(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 2000 {
		_, _, err := b.PlantDomain(Seed{ExternalReference: fmt.Sprintf("many-%04d", i)})
		require.NoError(t, err)
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 25 {
				ref := fmt.Sprintf("new-%d-%d", worker, i)
				assert.Equal(t, 200, b.call(t, "POST", "/domain", `{"name":"new","externalReference":"`+ref+`"}`).status)
				assert.Equal(t, 200, b.call(t, "POST", "/domain/search", `{"filters":{"externalReference":["`+ref+`"]}}`).status)
			}
		})
	}
	start, pages := time.Now(), 0
	for page := range 20 {
		a := b.call(t, "POST", "/domain/search", fmt.Sprintf(`{"page":%d,"limit":100,"search":{"externalReference":["MANY-"]}}`, page))
		require.Equal(t, 200, a.status)
		require.Contains(t, a.raw, `"total":2000`)
		pages++
	}
	wg.Wait()
	t.Logf("%d pages of 100 among 2,000 domains: %v", pages, time.Since(start))
	assert.Len(t, b.Domains(), 2101)
	assert.Equal(t, 100, b.Count("POST", "/domain"))
	assert.Equal(t, 120, b.Count("POST", "/domain/*"))
	assert.Less(t, time.Since(start), 20*time.Second)
}
