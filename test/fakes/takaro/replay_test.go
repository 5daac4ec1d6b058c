// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notReplayed maps exchanges of the recording that the stand-in cannot answer in the same way to
// the reason.
var notReplayed = map[string]string{}

// exchange is one entry of the recording. The last entry has claims instead of a request.
type exchange struct {
	Name    string `json:"name"`
	Request *struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Headers map[string]string `json:"headers"`
		Body    any               `json:"body"`
	} `json:"request"`
	Response struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    any               `json:"body"`
	} `json:"response"`
	Claims map[string]any `json:"claims"`
}

func recording(t *testing.T) []exchange {
	t.Helper()
	raw, err := os.ReadFile("testdata/responses.json")
	require.NoError(t, err)
	var all []exchange
	require.NoError(t, json.Unmarshal(raw, &all))
	require.Len(t, all, 123)
	return all
}

// TestReplay sends every recorded request, in order, to a new server and expects the recorded
// responses. Values that the real API chose (ids, tokens, passwords, times) may differ, but every
// such value must always map to the same value.
func TestReplay(t *testing.T) {
	all := recording(t)
	start, ticks := time.Now(), atomic.Int64{}
	s := New(Options{AdminToken: "local-admin-secret", Now: func() time.Time {
		return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) // all times differ, as in the slower real API
	}})
	s.newID = orderedIDs(all)
	require.NoError(t, s.Start())
	defer s.Close()
	names := newBindings()
	replayed := 0
	for _, e := range all {
		if e.Request == nil {
			continue
		}
		if reason, skip := notReplayed[e.Name]; skip {
			t.Logf("not replayed: %s: %s", e.Name, reason)
			continue
		}
		res, body := send(t, s.URL(), names, e)
		require.Equal(t, e.Response.Status, res.StatusCode, "%s: %s", e.Name, body)
		require.Equal(t, e.Response.Headers["content-type"], res.Header.Get("Content-Type"), e.Name)
		var got any
		require.NoError(t, json.Unmarshal(body, &got), e.Name)
		names.compare(t, e.Name, "body", "", e.Response.Body, got)
		require.Equal(t, names.toOurs(e.Response.Headers["set-cookie"]), res.Header.Get("Set-Cookie"), e.Name)
		if t.Failed() {
			t.FailNow()
		}
		replayed++
	}
	assert.Equal(t, 122-len(notReplayed), replayed)
	compareClaims(t, all, names)
}

func send(t *testing.T, url string, names *bindings, e exchange) (*http.Response, []byte) {
	t.Helper()
	var body io.Reader
	if e.Request.Body != nil {
		raw, err := json.Marshal(e.Request.Body)
		require.NoError(t, err)
		body = strings.NewReader(names.toOurs(string(raw)))
	}
	req, err := http.NewRequest(e.Request.Method, url+names.toOurs(e.Request.Path), body)
	require.NoError(t, err)
	for k, v := range e.Request.Headers {
		req.Header.Set(k, names.toOurs(v))
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err, e.Name)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err, e.Name)
	return res, bytes.TrimSpace(raw)
}

// compareClaims checks the token of the exchange named token against the recorded claims.
func compareClaims(t *testing.T, all []exchange, names *bindings) {
	t.Helper()
	want := all[len(all)-1].Claims
	require.NotEmpty(t, want)
	var recorded string
	for _, e := range all {
		if e.Name == "token" {
			recorded = e.Response.Body.(map[string]any)["data"].(map[string]any)["token"].(string)
		}
	}
	got := jwt.MapClaims{}
	parsed, _, err := jwt.NewParser().ParseUnverified(names.toOurs(recorded), got)
	require.NoError(t, err)
	assert.Equal(t, "HS256", parsed.Header["alg"])
	assert.Equal(t, "JWT", parsed.Header["typ"])
	assert.Equal(t, sortedKeys(want), sortedKeys(got))
	assert.Equal(t, want["aud"], got["aud"])
	assert.Equal(t, want["iss"], got["iss"])
	assert.Equal(t, names.toOurs(want["sub"].(string)), got["sub"])
	assert.Equal(t, names.toOurs(want["domainId"].(string)), got["domainId"])
	assert.InDelta(t, want["exp"].(float64)-want["iat"].(float64), got["exp"].(float64)-got["iat"].(float64), 0)
	assert.InDelta(t, float64(time.Now().Unix()), got["iat"].(float64), 120)
}
