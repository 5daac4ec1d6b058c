// SPDX-License-Identifier: Apache-2.0

//go:build integration

package mockservers

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// cells returns the rows of a table without the age, which is the last column. No cell is empty or
// contains a space.
func cells(table string) [][]string {
	var rows [][]string
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		rows = append(rows, words[:len(words)-1])
	}
	return rows
}

// TestWhatPeopleSee verifies the output of kubectl get for MockServers and Users.
func TestWhatPeopleSee(t *testing.T) {
	t.Parallel()
	u := newTeam(t)
	const alice = "apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: alice}\nspec: {email: " +
		"alice@seen.example, domainRef: {name: arena}, roles: [Admin]}\n"
	u.apply(u.domain() + "---\n" + mock("game", "replicas: 2") + "---\n" + alice)
	server := u.ready("game")
	u.Kubectl(t, "wait", "--for=condition=Ready", "users.takaro.roadstead.dev/alice", "--timeout=30s")
	id := u.Kubectl(t, "get", "tuser", "alice", "-o", "jsonpath={.status.userId}")
	require.NotEmpty(t, id)
	u.apply("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: MockServer\nmetadata: {name: lost}\nspec: {domainRef: {name: " +
		"elsewhere}, image: 'registry.example.com/mock:v1', totalPlayers: 7}\n---\n" +
		strings.NewReplacer("alice", "bob", "arena", "elsewhere").Replace(alice))
	u.await("lost", "Ready", "False DomainNotFound")
	u.Kubectl(t, "wait", "--for=jsonpath={.status.phase}=Pending", "users.takaro.roadstead.dev/bob", "--timeout=30s")

	assert.Equal(t, [][]string{
		{"NAME", "DOMAIN", "READY", "PLAYERS", "REACHABLE", "PHASE"},
		{"game", "arena", "2/2", "10", "2", "Ready"},
		{"lost", "elsewhere", "0/1", "7", "0", "Pending"},
	}, cells(u.Kubectl(t, "get", "mockservers")))
	assert.Equal(t, [][]string{
		{"NAME", "DOMAIN", "READY", "PLAYERS", "REACHABLE", "PHASE", "IMAGE", "REASON"},
		{"game", "arena", "2/2", "10", "2", "Ready", "(default)", "AsSpecified"},
		{"lost", "elsewhere", "0/1", "7", "0", "Pending", "registry.example.com/mock:v1", "DomainNotFound"},
	}, cells(u.Kubectl(t, "get", "mock", "-o", "wide")))
	assert.Equal(t, [][]string{
		{"NAME", "EMAIL", "DOMAIN", "PHASE", "ROLES"},
		{"alice", "alice@seen.example", "arena", "Ready", "Admin"},
		{"bob", "bob@seen.example", "elsewhere", "Pending", "<none>"},
	}, cells(u.Kubectl(t, "get", "users.takaro.roadstead.dev")))
	assert.Equal(t, [][]string{
		{"NAME", "EMAIL", "DOMAIN", "PHASE", "ROLES", "USER", "ID", "MISSING", "ROLES", "REASON"},
		{"alice", "alice@seen.example", "arena", "Ready", "Admin", id, "<none>", "AsSpecified"},
		{"bob", "bob@seen.example", "elsewhere", "Pending", "<none>", "<none>", "<none>", "DomainNotFound"},
	}, cells(u.Kubectl(t, "get", "tuser", "-o", "wide")))

	framework.Await(t, "an event for each game server", func() error {
		described := u.Kubectl(t, "describe", "mock", "game")
		for _, line := range []string{`game server "game" registered with Takaro`, `game server "game-1" registered with Takaro`,
			"Takaro reaches 2 game servers", server.Status.GameServers[1].ID} {
			if !strings.Contains(described, line) {
				return errors.New("no " + line + " in " + described)
			}
		}
		return nil
	})
	framework.Await(t, "an event for the user", func() error {
		if described := u.Kubectl(t, "describe", "tuser", "alice"); !strings.Contains(described, "Takaro user "+id+" was created") {
			return errors.New(described)
		}
		return nil
	})
	assert.Contains(t, u.Kubectl(t, "describe", "tuser", "bob"), `Domain "elsewhere" does not exist in this namespace.`)
	for field, text := range map[string]string{
		"mock.spec.simulationFrequencies.item": "frequency of item pickups, 0 to 100. Defaults to 50.",
		"mock.status.gameServers.reachable":    "reports whether Takaro can reach the game server",
		"tuser.spec.password":                  "write-only",
		"tuser.status.missingRoles":            "roles of spec.roles that the domain does not have",
	} {
		assert.Contains(t, u.Kubectl(t, "explain", field), text, field)
	}
}
