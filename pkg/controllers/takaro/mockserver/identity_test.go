// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func named(uid, name string) *v1alpha1.MockServer {
	server := &v1alpha1.MockServer{}
	server.UID, server.Name, server.Namespace, server.Spec.Name = types.UID(uid), name, "team", name
	v1alpha1.SetDefaults_MockServerSpec(&server.Spec)
	return server
}

func TestIdentitiesAreFoundAgainAndBelongToOne(t *testing.T) {
	names := rapid.StringMatching(`[a-z0-9-]{3,37}`)
	rapid.Check(t, func(t *rapid.T) {
		name, ordinal := names.Draw(t, "name"), rapid.IntRange(0, 99).Draw(t, "ordinal")
		ours, theirs := named("one", name), named("two", name)
		token := identity(ours, ordinal)
		found, ok := ordinalOf(ours, token)
		assert.True(t, ok)
		assert.Equal(t, ordinal, found)
		assert.LessOrEqual(t, len(token), 50, "Takaro's limit of names")
		_, ok = ordinalOf(theirs, token)
		assert.False(t, ok, "the same manifest in another namespace")
	})
}

// Among 10,000 MockServers, two have the same first 32 bits of the hash with a probability of 1 %.
// Deleting one of them would then remove the saved state and the login of the other.
func TestMarksDifferWhereTheFirst32BitsAreEqual(t *testing.T) {
	one, other := named("00000000-0000-0000-0000-000000054908", "game"), named("00000000-0000-0000-0000-000000104182", "game")
	mark := markOf(one)
	assert.Len(t, mark, markLength)
	assert.Equal(t, mark[:earlierMarkLength], markOf(other)[:earlierMarkLength])
	assert.NotEqual(t, mark, markOf(other))
	assert.GreaterOrEqual(t, 4*markLength, 80, "bits")
	_, ours := ordinalOf(one, identity(other, 0))
	assert.False(t, ours)
}

func TestOrdinalOfForeignTokens(t *testing.T) {
	server := named("one", "game")
	for _, token := range []string{"", "game-0", identityPrefix(server), identityPrefix(server) + "x", identityPrefix(server) + "01",
		identityPrefix(server) + "-1", identityPrefix(server) + "0-0"} {
		_, ok := ordinalOf(server, token)
		assert.False(t, ok, token)
	}
}

func TestDisplayName(t *testing.T) {
	server := named("one", "game")
	assert.Equal(t, "game", displayName(server, 0))
	assert.Equal(t, "game-7", displayName(server, 7))
}

func TestConnectorOf(t *testing.T) {
	for _, c := range []struct{ typed, installed, address, want string }{
		{"wss://typed", "wss://installed", "https://api.x", "wss://typed"},
		{"", "wss://installed", "https://api.x", "wss://installed"},
		{"", "ws://installed:3004", "https://elsewhere", "ws://installed:3004"},
		{"", "https://not-a-websocket", "https://elsewhere", ""},
		{"", "", "https://api.takaro.io", "wss://connect.takaro.io"},
		{"", "", "https://api.takaro.io:8443/path", "wss://connect.takaro.io:8443"},
		{"", "", "http://api.takaro.io", ""},
		{"", "", "https://takaro.io", ""},
	} {
		assert.Equal(t, c.want, connectorOf(c.typed, c.installed, c.address), "%+v", c)
	}
}
