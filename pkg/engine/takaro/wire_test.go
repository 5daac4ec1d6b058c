// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := newServer(t, always(200, data([]any{})))
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
			http.Redirect(w, r, other.URL+"/domain/search?token=in-the-query", status)
		})
		err := newTestClient(t, s.URL).checkAdmin(context.Background())
		require.True(t, IsForeign(err), "%v", err)
		assert.ErrorContains(t, err, other.URL)
		assert.NotContains(t, err.Error(), "in-the-query")
	}
	assert.Empty(t, other.requests())
}

func TestResponseSizeIsLimited(t *testing.T) {
	filler := bytes.Repeat([]byte(" "), 1<<20)
	for name, zipped := range map[string]bool{"plain": false, "gzip bomb": true} {
		s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) {
			var out io.Writer = w
			if zipped {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer func() { _ = z.Close() }()
				out = z
			}
			_, _ = io.WriteString(out, `{"meta":{},"data":[`)
			for range maxBodyBytes>>20 + 4 {
				if _, err := out.Write(filler); err != nil {
					return
				}
			}
			_, _ = io.WriteString(out, "]}")
		})
		err := newTestClient(t, s.URL).checkAdmin(context.Background())
		require.ErrorIs(t, err, errTooLarge, name)
		assert.True(t, IsUnclear(err))
	}
}

func TestResponseHeaderSizeIsLimited(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("X-Filler", string(bytes.Repeat([]byte("a"), maxHeaderBytes+1)))
		reply(w, 200, data([]any{}))
	})
	assert.Error(t, newTestClient(t, s.URL).checkAdmin(context.Background()))
}

func TestCABundle(t *testing.T) {
	s := &server{}
	s.Server = httptest.NewTLSServer(s.handler(always(200, data([]any{}))))
	t.Cleanup(s.Close)
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	p := newTestPool(t, testOptions(newSkipClock()))

	c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken), CABundle: bundle})
	require.NoError(t, err)
	require.NoError(t, c.checkAdmin(context.Background()))

	err = clientOf(t, p, s.URL).checkAdmin(context.Background())
	require.ErrorContains(t, err, "certificate")
	assert.False(t, IsUnclear(err), "nothing was sent: %v", err)
	assert.Len(t, s.requests(), 1)

	_, err = p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken), CABundle: []byte("not pem")})
	assert.ErrorContains(t, err, "PEM")
}

func TestHTTP2Works(t *testing.T) {
	s := &server{}
	s.Server = httptest.NewUnstartedServer(s.handler(func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		assert.Equal(t, 2, r.ProtoMajor)
		reply(w, 200, data([]any{}))
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	c, err := newTestPool(t, testOptions(newSkipClock())).Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken), CABundle: bundle})
	require.NoError(t, err)
	require.NoError(t, c.checkAdmin(context.Background()))
}

func TestProxyFromEnvironmentIsOptional(t *testing.T) {
	for _, asked := range []bool{false, true} {
		wire, err := newWire(Options{ProxyFromEnvironment: asked}, nil)
		require.NoError(t, err)
		transport, ok := wire.Transport.(*http.Transport)
		require.True(t, ok)
		assert.Equal(t, asked, transport.Proxy != nil)
	}
}

func TestRefusedAddressesAreTerminal(t *testing.T) {
	s := newServer(t, always(200, data([]any{})))
	clk := newSkipClock()
	o := testOptions(clk)
	o.Dial = netguard.Policy{}
	o.FailureThreshold = 1
	c := clientOf(t, newTestPool(t, o), s.URL)
	for range 3 {
		err := c.checkAdmin(context.Background())
		require.True(t, IsTerminal(err) && netguard.IsRefused(err), "%v", err)
		assert.False(t, IsUnclear(err))
		assert.ErrorContains(t, err, "--allow-loopback")
	}
	assert.Empty(t, s.requests())
	assert.Empty(t, clk.waits())
}

func TestTimeoutMessage(t *testing.T) {
	s := newServer(t, func(_ int, _ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
	o := testOptions(newSkipClock())
	o.CreateTimeout = 100 * time.Millisecond
	err := create(clientOf(t, newTestPool(t, o), s.URL))
	assert.ErrorContains(t, err, "POST /domain at 127.0.0.1:")
	assert.ErrorContains(t, err, "timed out before the response was complete (the request may have been processed)")
}
