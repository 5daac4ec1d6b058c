// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// otherCA returns a CA bundle that did not sign the server's certificate.
func otherCA(t *testing.T) []byte {
	t.Helper()
	other := httptest.NewUnstartedServer(http.NotFoundHandler())
	other.StartTLS()
	t.Cleanup(other.Close)
	// httptest uses one certificate for all servers, so a byte of its signature is changed.
	der := append([]byte(nil), other.Certificate().Raw...)
	der[len(der)-1] ^= 1
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// TestCertificateErrorsAreNeutral checks that a tenant's wrong CA affects only requests of the tenant.
func TestCertificateErrorsAreNeutral(t *testing.T) {
	s := &server{}
	s.Server = httptest.NewTLSServer(s.handler(always(200, data([]any{}))))
	t.Cleanup(s.Close)
	right := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	o := testOptions(newSkipClock())
	o.FailureThreshold = 2
	p := newTestPool(t, o)
	client := func(ca []byte, own bool) *Client {
		c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken), CABundle: ca, Own: own})
		require.NoError(t, err)
		return c
	}
	tenant, installed := client(otherCA(t), true), client(right, false)
	for range 5 {
		err := tenant.checkAdmin(t.Context())
		require.ErrorContains(t, err, "certificate")
		require.False(t, IsCircuitOpen(err), "the cause is reported each time")
		require.NoError(t, installed.checkAdmin(t.Context()))
	}
}

// TestCircuitsOfAURLAreIndependent checks that an open circuit of one key does not affect other keys of the
// same URL.
func TestCircuitsOfAURLAreIndependent(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		if r.Header.Get("X-Takaro-Admin-Token") != testToken {
			reply(w, 503, htmlPage)
			return
		}
		reply(w, 200, data([]any{}))
	})
	o := testOptions(clocktesting.NewFakeClock(time.Now()))
	o.FailureThreshold = 2
	p := newTestPool(t, o)
	installed := clientOf(t, p, s.URL)
	gauge := func(scope string) float64 {
		return testutil.ToFloat64(p.metrics.circuitOpen.WithLabelValues(strings.TrimPrefix(s.URL, "http://"), scope))
	}
	var tenants []*Client
	for _, token := range []string{"a", "b"} {
		tenant, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(token), Own: true})
		require.NoError(t, err)
		tenants = append(tenants, tenant)
		for range 2 {
			require.False(t, IsCircuitOpen(create(tenant)))
		}
		require.True(t, IsCircuitOpen(create(tenant)))
		require.NoError(t, installed.checkAdmin(t.Context()))
		assert.InDelta(t, len(tenants), gauge("tenant"), 0)
		assert.Zero(t, gauge("installation"))
	}
	closed := make(chan Key, 2)
	defer p.OnCircuitClosed(func(key Key) { closed <- key })()
	p.mu.Lock()
	p.drop(tenants[0].endpoint.key, tenants[0])
	p.mu.Unlock()
	assert.Equal(t, tenants[0].endpoint.key, <-closed, "only the subscribers of this key are notified")
	assert.InDelta(t, 1, gauge("tenant"), 0)
}

// TestNeutralProbes_KeepCircuitOpen checks that a probe that this process may not send, or whose certificate is
// not trusted, keeps the circuit open and is reported as its cause.
func TestNeutralProbes_KeepCircuitOpen(t *testing.T) {
	var lost atomic.Bool
	down := &atomic.Bool{}
	down.Store(true)
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) {
		if down.Load() {
			drop(w)
			return
		}
		reply(w, 200, data([]any{}))
	})
	clk := clocktesting.NewFakeClock(time.Now())
	o := testOptions(clk)
	o.FailureThreshold = 1
	o.Dial = netguard.Policy{AllowLoopback: true, BeforeWrite: func() error {
		if lost.Load() {
			return errors.New("the Lease was not renewed")
		}
		return nil
	}}
	p := newTestPool(t, o)
	closed := make(chan Key, 1)
	defer p.OnCircuitClosed(func(key Key) { closed <- key })()
	c := clientOf(t, p, s.URL)
	require.Error(t, create(c))
	require.True(t, IsCircuitOpen(create(c)))
	lost.Store(true)
	down.Store(false)
	require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
	clk.Step(15 * time.Second)
	var open *CircuitOpenError
	require.Eventually(t, func() bool { return errors.As(create(c), &open) && open.Cause != nil }, patience, time.Millisecond)
	assert.True(t, netguard.IsWriteRefused(open.Cause), "%v", open.Cause)
	assert.Empty(t, closed)
	lost.Store(false)
	require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
	clk.Step(15 * time.Second)
	assert.Equal(t, c.endpoint.key, <-closed)
}

// TestTenantLabels_Bounded checks that the number of series does not grow with the hosts of tenants, and that no
// label contains a token.
func TestTenantLabels_Bounded(t *testing.T) {
	p := newTestPool(t, testOptions(newSkipClock()))
	labels := map[string]int{}
	for i := range 3 * maxTenantLabels {
		c, err := p.Client(Endpoint{URL: fmt.Sprintf("https://t%d.example", i), AdminToken: NewSecret("secret-token"), Own: true})
		require.NoError(t, err)
		labels[c.endpoint.label]++
		assert.NotContains(t, c.endpoint.label, "token")
	}
	assert.Len(t, labels, maxTenantLabels+1)
	assert.Equal(t, 2*maxTenantLabels, labels[otherHosts])
	assert.Equal(t, "installed.example", clientOf(t, p, "https://installed.example").endpoint.label)
	same, err := p.Client(Endpoint{URL: "https://installed.example", AdminToken: NewSecret("t"), Own: true})
	require.NoError(t, err)
	assert.Equal(t, "installed.example", same.endpoint.label, "the host already has series")
}
