// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/privateca"
)

// trusting returns the client's TLS configuration for an authority.
func trusting(t *testing.T, authority []byte) *tls.Config {
	t.Helper()
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority))
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

func TestTLS(t *testing.T) {
	ofAPI, authorityOfAPI, err := privateca.New()
	require.NoError(t, err)
	ofConnector, authorityOfConnector, err := privateca.New()
	require.NoError(t, err)
	b := newBench(t, Options{Listen: "127.0.0.1:0", ConnectorListen: "127.0.0.1:0", TLS: ofAPI, ConnectorTLS: ofConnector})
	require.NoError(t, b.Start())
	t.Cleanup(b.Close)
	require.True(t, strings.HasPrefix(b.URL(), "https://127.0.0.1:"), b.URL())
	require.True(t, strings.HasPrefix(b.ConnectorURL(), "wss://127.0.0.1:"), b.ConnectorURL())

	get := func(authority []byte) error {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: trusting(t, authority)}}
		defer client.CloseIdleConnections()
		response, err := client.Get(b.URL() + "/healthz")
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	dialTLS := func(authority []byte) error {
		dialer := &websocket.Dialer{TLSClientConfig: trusting(t, authority)}
		conn, response, err := dialer.DialContext(t.Context(), b.ConnectorURL(), nil)
		if err != nil {
			return err
		}
		require.NoError(t, response.Body.Close())
		return conn.Close()
	}
	require.NoError(t, get(authorityOfAPI))
	require.NoError(t, dialTLS(authorityOfConnector))
	assert.ErrorContains(t, get(authorityOfConnector), "certificate")
	assert.ErrorContains(t, dialTLS(authorityOfAPI), "certificate")
	assert.Equal(t, 1, b.ConnectorCounts().Connections, "who does not trust it has not connected")
}
