// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretsDoNotLeak(t *testing.T) {
	const hidden = "hunter2-hunter2"
	s := NewSecret(hidden)
	values := map[string]any{
		"secret": s, "pointer": &s, "slice": []Secret{s}, "map": map[string]Secret{"k": s},
		"endpoint": Endpoint{URL: "https://a", AdminToken: s}, "domain": &Domain{ServerRegistrationToken: s},
		"created": CreatedDomain{Password: s, Domain: Domain{ServerRegistrationToken: s}},
		"client":  Client{adminToken: s}, "unexported": struct{ s Secret }{s},
	}
	for name, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			assert.NotContains(t, fmt.Sprintf(verb, v), hidden, "%s with %s", name, verb)
			assert.NotContains(t, fmt.Sprintf(verb, v), fmt.Sprintf("%x", hidden), "%s with %s", name, verb)
		}
		raw, err := json.Marshal(v)
		if err == nil {
			assert.NotContains(t, string(raw), hidden, name)
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
		assert.NotContains(t, log.String(), hidden, name)
	}
	assert.Equal(t, hidden, s.Reveal())
}

func TestSecretJSONAndEquality(t *testing.T) {
	var s Secret
	require.NoError(t, json.Unmarshal([]byte(`"abc"`), &s))
	assert.Equal(t, "abc", s.Reveal())
	assert.True(t, s.Equal(NewSecret("abc")))
	assert.False(t, s.Equal(NewSecret("abd")))
	assert.True(t, Secret{}.Equal(NewSecret("")))
	assert.Equal(t, "", Secret{}.String())

	err := json.Unmarshal([]byte(`{"a":"tell-nobody"}`), &s)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "tell-nobody")
}
