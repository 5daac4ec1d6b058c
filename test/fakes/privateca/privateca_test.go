// SPDX-License-Identifier: Apache-2.0

package privateca

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyItsOwnAuthorityVerifiesIt(t *testing.T) {
	serving, authority, err := New()
	require.NoError(t, err)
	_, other, err := New()
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = serving
	server.StartTLS()
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		trusted []byte
		works   bool
	}{"its own": {authority, true}, "another": {other, false}, "the system's": {nil, false}} {
		t.Run(name, func(t *testing.T) {
			config := &tls.Config{MinVersion: tls.VersionTLS12}
			if c.trusted != nil {
				config.RootCAs = x509.NewCertPool()
				require.True(t, config.RootCAs.AppendCertsFromPEM(c.trusted))
			}
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
			t.Cleanup(client.CloseIdleConnections)
			response, err := client.Get(server.URL)
			if !c.works {
				require.ErrorContains(t, err, "certificate")
				return
			}
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
		})
	}
}
