// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestSameEndpointSameClient(t *testing.T) {
	p := newTestPool(t, testOptions(newSkipClock()))
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw})
	get := func(url, token string, ca []byte) *Client {
		c, err := p.Client(Endpoint{URL: url, AdminToken: NewSecret(token), CABundle: ca})
		require.NoError(t, err)
		return c
	}
	first := get("https://H.example:443/", "t1", nil)
	assert.Same(t, first, get("https://h.example", "t1", nil))
	own, err := p.Client(Endpoint{URL: "https://h.example", AdminToken: NewSecret("t1"), Own: true})
	require.NoError(t, err)
	for name, c := range map[string]*Client{
		"token": get("https://h.example", "t2", nil), "CA": get("https://h.example", "t1", ca), "scheme": get("http://h.example", "t1", nil),
		"owner": own,
	} {
		assert.NotEqual(t, first.endpoint.key, c.endpoint.key, name)
		assert.NotSame(t, first.endpoint, c.endpoint, name)
		assert.NotSame(t, first.endpoint.rates, c.endpoint.rates, name)
		assert.NotSame(t, first.tokens, c.tokens, name)
		assert.NotSame(t, first.wire, c.wire, name)
		assert.NotEqual(t, first.creates, c.creates, name)
	}
}

func TestClientRefusesBadEndpoints(t *testing.T) {
	p := newTestPool(t, testOptions(newSkipClock()))
	for _, e := range []Endpoint{
		{URL: "ftp://h", AdminToken: NewSecret("t")}, {AdminToken: NewSecret("t")}, {URL: "https://h"},
		{URL: "https://h", AdminToken: NewSecret("t"), CABundle: []byte("x")},
	} {
		_, err := p.Client(e)
		assert.True(t, IsTerminal(err), "%+v: %v", e, err)
	}
	assert.Empty(t, p.clients)
}

func TestIdleClientsAreDropped(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	p := newTestPool(t, testOptions(clk))
	s := newServer(t, always(200, data([]any{})))
	busy := clientOf(t, p, s.URL)
	clientOf(t, p, "https://idle.example")
	require.Len(t, p.clients, 2)
	clk.Step(29 * time.Minute)
	require.NoError(t, busy.checkAdmin(context.Background())) // a request counts as use
	clk.Step(2 * time.Minute)
	clientOf(t, p, "https://new.example")
	assert.Len(t, p.clients, 2)
	assert.NotContains(t, p.clients, Endpoint{URL: "https://idle.example", AdminToken: NewSecret(testToken)}.Key())
	assert.Same(t, busy, clientOf(t, p, s.URL))
}

func TestClientsAreBounded(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	o := testOptions(clk)
	o.MaxClients = 10
	p := newTestPool(t, o)
	for i := range 50 {
		clientOf(t, p, fmt.Sprintf("https://h%d.example", i))
		clk.Step(time.Second)
	}
	assert.Len(t, p.clients, 10)
	assert.Contains(t, p.clients, Endpoint{URL: "https://h49.example", AdminToken: NewSecret(testToken)}.Key())
	assert.NotContains(t, p.clients, Endpoint{URL: "https://h39.example", AdminToken: NewSecret(testToken)}.Key())
}

func TestTenantsDoNotEvictTheInstallation(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	o := testOptions(clk)
	o.MaxClients = 3
	p := newTestPool(t, o)
	first := clientOf(t, p, "https://h.example")
	for i := range 10 {
		clk.Step(time.Second)
		_, err := p.Client(Endpoint{URL: fmt.Sprintf("https://t%d.example", i), AdminToken: NewSecret("t"), Own: true})
		require.NoError(t, err)
	}
	assert.Len(t, p.clients, 3)
	assert.Len(t, p.shared, 2)
	assert.Same(t, first, clientOf(t, p, "https://h.example"))
}

func TestPoolUnderConcurrentUse(t *testing.T) {
	s := newServer(t, always(200, data([]any{})))
	o := testOptions(newSkipClock())
	o.QPS, o.Burst = 1e6, 1e6
	p := newTestPool(t, o)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(fmt.Sprint("t", i%3))})
				if assert.NoError(t, err) {
					assert.NoError(t, c.checkAdmin(context.Background()))
				}
			}
		})
	}
	wg.Wait()
	assert.Len(t, p.clients, 3)
}

func TestMetrics(t *testing.T) {
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, _ string) {
		switch {
		case r.URL.Path == "/token":
			reply(w, 200, data(map[string]string{"token": jwt(1, 1000, 1)}))
		case n == 1:
			drop(w)
		case n == 2:
			reply(w, 502, htmlPage)
		default:
			reply(w, 200, data(wireDomain("a-b-c", "")))
		}
	})
	registry := prometheus.NewRegistry()
	clk := clocktesting.NewFakeClock(time.Now())
	o := testOptions(newSkipClock())
	o.Registerer = registry
	p := newTestPool(t, o)
	c, ctx := clientOf(t, p, s.URL), context.Background()
	_, err := c.GetDomain(ctx, "a-b-c")
	require.NoError(t, err)
	_, err = c.domainToken(ctx, "a-b-c")
	require.NoError(t, err)
	want := strings.ReplaceAll(`# HELP roadstead_takaro_requests_total Requests sent to Takaro, including retries; code is the HTTP status, or "error" without a response.
# TYPE roadstead_takaro_requests_total counter
roadstead_takaro_requests_total{code="200",endpoint="HOST",method="GET",path="/domain/:id"} 1
roadstead_takaro_requests_total{code="200",endpoint="HOST",method="POST",path="/token"} 1
roadstead_takaro_requests_total{code="502",endpoint="HOST",method="GET",path="/domain/:id"} 1
roadstead_takaro_requests_total{code="error",endpoint="HOST",method="GET",path="/domain/:id"} 1
# HELP roadstead_takaro_token_renewals_total Domain tokens requested from Takaro.
# TYPE roadstead_takaro_token_renewals_total counter
roadstead_takaro_token_renewals_total{endpoint="HOST"} 1
`, "HOST", strings.TrimPrefix(s.URL, "http://"))
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(want), "roadstead_takaro_requests_total",
		"roadstead_takaro_token_renewals_total"))
	n, err := testutil.GatherAndCount(registry, "roadstead_takaro_request_duration_seconds")
	require.NoError(t, err)
	assert.Equal(t, 2, n)

	// A second pool on the same registry shares the metrics; a dropped endpoint leaves no series.
	o.Clock = clk
	again := newTestPool(t, o)
	assert.Same(t, p.metrics.requests, again.metrics.requests)
	p.Close()
	n, err = testutil.GatherAndCount(registry)
	require.NoError(t, err)
	assert.Zero(t, n)
	o.Registerer = nil
	assert.NotNil(t, newTestPool(t, o).metrics.requests)
}

func TestNewPool_ConflictingMetricPanics(t *testing.T) {
	r := prometheus.NewRegistry()
	r.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "roadstead_takaro_circuit_open", Help: "x"}))
	assert.Panics(t, func() { NewPool(Options{Registerer: r}) })
}

func TestDefaults(t *testing.T) {
	o := Options{}.withDefaults()
	assert.InDelta(t, 10, o.QPS, 0)
	assert.Equal(t, 20, o.Burst)
	assert.Equal(t, 5, o.FailureThreshold)
	assert.Equal(t, 15*time.Second, o.ProbeInterval)
	assert.Equal(t, 30*time.Second, o.Timeout)
	assert.False(t, o.Dial.AllowPrivate || o.Dial.AllowLoopback)
}
