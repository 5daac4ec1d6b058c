// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

const testToken = "admin-token-f00d"

// checkAdmin sends the cheapest request with the admin token.
func (c *Client) checkAdmin(ctx context.Context) error {
	k := adminProbe()
	k.body = query{Limit: 1}
	_, err := c.do(ctx, k, &[]Domain{})
	return err
}

// domainToken returns the token of a domain like domain-scoped calls.
func (c *Client) domainToken(ctx context.Context, domainID string) (Secret, error) {
	return c.tokens.get(ctx, domainID, c.fetchToken)
}

// skipClock is a fake clock on which every wait ends immediately and advances the time.
type skipClock struct {
	*clocktesting.FakeClock
	mu     sync.Mutex
	waited []time.Duration
}

func newSkipClock() *skipClock {
	return &skipClock{FakeClock: clocktesting.NewFakeClock(time.Now())}
}

func (c *skipClock) NewTimer(d time.Duration) clock.Timer {
	timer := c.FakeClock.NewTimer(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited = append(c.waited, d)
	c.Step(d)
	return timer
}

func (c *skipClock) waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]time.Duration(nil), c.waited...)
}

// request is a request that a test server received.
type request struct {
	Method, Path, Query, Body string
	Header                    http.Header
}

// server responds with a handler and records the requests.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []request
}

// newServer returns a server that calls answer with the number of the request, starting at 1.
func newServer(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request, body string)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(s.handler(answer))
	t.Cleanup(s.Close)
	return s
}

func (s *server) handler(answer func(int, http.ResponseWriter, *http.Request, string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, request{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Clone()})
		n := len(s.seen)
		s.mu.Unlock()
		answer(n, w, r, string(body))
	})
}

func (s *server) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.seen...)
}

// always responds to each request in the same way.
func always(status int, body string) func(int, http.ResponseWriter, *http.Request, string) {
	return func(_ int, w http.ResponseWriter, _ *http.Request, _ string) { reply(w, status, body) }
}

func reply(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// drop closes the connection without a response.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func data(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return `{"meta":{},"data":` + string(raw) + `}`
}

func failure(code, message string) string {
	return fmt.Sprintf(`{"meta":{"error":{"code":%q,"message":%q}},"data":{}}`, code, message)
}

const htmlPage = "<!DOCTYPE html><html><body>secret page text</body></html>"

// wireDomain returns a domain in Takaro's JSON.
func wireDomain(id, ref string) map[string]any {
	d := map[string]any{
		"id": id, "name": "name of " + id, "externalReference": nil, "state": "ACTIVE", "serverRegistrationToken": "reg-" + id,
		"maxGameservers": 5, "maxUsers": 3, "eventRetentionDays": 7, "maxVariables": 10000, "maxModules": 1000,
		"maxFunctionsInModule": 50, "rateLimitPoints": 2500, "rateLimitDuration": 900000,
		"createdAt": "2026-11-27T22:01:05.581Z", "updatedAt": "2026-11-27T22:01:05.584Z",
	}
	if ref != "" {
		d["externalReference"] = ref
	}
	return d
}

func wireCreated(id, ref string) string {
	return data(map[string]any{
		"createdDomain": wireDomain(id, ref), "password": "root-password-1", "rootRole": map[string]any{"id": "r"},
		"rootUser": map[string]any{"id": "u", "name": "root", "email": "root@" + id + ".com"},
	})
}

// jwt returns a token with these claims; the nonce distinguishes tokens with equal claims.
func jwt(iat, exp int64, nonce int) string {
	enc := base64.RawURLEncoding
	claims := fmt.Sprintf(`{"aud":"takaro","iat":%d,"exp":%d}`, iat, exp)
	return enc.EncodeToString([]byte(`{"alg":"HS256"}`)) + "." + enc.EncodeToString([]byte(claims)) + "." + fmt.Sprintf("sig%d", nonce)
}

func testOptions(c clock.Clock) Options {
	return Options{
		Clock: c, Registerer: prometheus.NewRegistry(), FailureThreshold: 1000,
		Dial: netguard.Policy{AllowLoopback: true}, Timeout: 20 * time.Second,
	}
}

func newTestPool(t *testing.T, o Options) *Pool {
	t.Helper()
	p := NewPool(o)
	t.Cleanup(p.Close)
	return p
}

// newTestClient returns a client for url whose waits take no time.
func newTestClient(t *testing.T, url string) *Client {
	t.Helper()
	return clientOf(t, newTestPool(t, testOptions(newSkipClock())), url)
}

func clientOf(t *testing.T, p *Pool, url string) *Client {
	t.Helper()
	c, err := p.Client(Endpoint{URL: url, AdminToken: NewSecret(testToken)})
	require.NoError(t, err)
	return c
}
