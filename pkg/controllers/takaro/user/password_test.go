// SPDX-License-Identifier: Apache-2.0

package user

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The expected values were computed by another program from the definition in the comment of
// derive.
func TestDeriveVectors(t *testing.T) {
	counting := make([]byte, 32)
	for i := range counting {
		counting[i] = byte(i)
	}
	for _, c := range []struct {
		seed                             []byte
		endpoint, namespace, email, want string
	}{
		{counting, "https://api.takaro.io", "team", "ci@example.com", "RdIDyRZ66x0OtS8xUu2i2UHfwtgYMB4C"},
		{make([]byte, 32), "http://127.0.0.1:3000", "a", "b@c.de", "CHAQxXdfxvzwlx9090ulQnmIgo5CAfGK"},
		{bytes.Repeat([]byte{0xff}, 32), "https://api.example/tak", "größe", "ünï@exämple.com", "URvyE2kn6lvYVfFp4SBc7z8Fm4JlGgdw"},
	} {
		assert.Equal(t, c.want, derive(c.seed, c.endpoint, c.namespace, c.email).Reveal(), c.email)
	}
}

func TestDeriveLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed")
		part := rapid.StringMatching(`[a-z0-9@.:/-]{0,12}`)
		endpoint, namespace, email := part.Draw(t, "endpoint"), part.Draw(t, "namespace"), part.Draw(t, "email")
		password := derive(seed, endpoint, namespace, email).Reveal()
		assert.Regexp(t, `^[0-9A-Za-z]{32}$`, password)
		assert.Equal(t, password, derive(seed, endpoint, namespace, strings.ToUpper(email)).Reveal(), "Takaro does not tell cases apart")
		other := part.Filter(func(s string) bool { return s != namespace }).Draw(t, "other")
		assert.NotEqual(t, password, derive(seed, endpoint, other, email).Reveal())
		if namespace != "" {
			assert.NotEqual(t, password, derive(seed, endpoint+namespace[:1], namespace[1:], email).Reveal(), "where a part ends matters")
		}
	})
}
