// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func pool(ca *keyPair) *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(ca.cert)
	return p
}

func TestClientCertificateCarriesUserAndGroups(t *testing.T) {
	ca, err := newCA("ca")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z][a-z:-]{0,30}`)
		user, groups := name.Draw(t, "user"), rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "groups")
		pair, err := ca.client(user, groups...)
		require.NoError(t, err)
		require.Equal(t, user, pair.cert.Subject.CommonName)
		require.ElementsMatch(t, groups, pair.cert.Subject.Organization)
		_, err = pair.cert.Verify(x509.VerifyOptions{Roots: pool(ca), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		require.NoError(t, err)
	})
}

func TestServerCertificateIsForItsHostsOnly(t *testing.T) {
	ca, err := newCA("ca")
	require.NoError(t, err)
	pair, err := ca.server("server", "127.0.0.1", "localhost")
	require.NoError(t, err)
	for host, good := range map[string]bool{"127.0.0.1": true, "localhost": true, "127.0.0.2": false, "example.com": false} {
		_, err := pair.cert.Verify(x509.VerifyOptions{Roots: pool(ca), DNSName: host})
		require.Equal(t, good, err == nil, "%s: %v", host, err)
	}
	_, err = pair.cert.Verify(x509.VerifyOptions{Roots: pool(ca), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.Error(t, err, "a serving certificate must not do for a client")
}

func TestAnotherAuthorityIsNotTrusted(t *testing.T) {
	ca, err := newCA("same name")
	require.NoError(t, err)
	other, err := newCA("same name")
	require.NoError(t, err)
	pair, err := other.client("front-proxy")
	require.NoError(t, err)
	_, err = pair.cert.Verify(x509.VerifyOptions{Roots: pool(ca), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	require.Error(t, err)
	require.NotEqual(t, ca.cert.SerialNumber, other.cert.SerialNumber)
}

func TestWrittenPairsLoad(t *testing.T) {
	c, err := writeCerts(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"ca", "server", "front-proxy-ca", "front-proxy", "service-accounts"} {
		_, err := tls.LoadX509KeyPair(c.crt(name), c.key(name))
		require.NoError(t, err, name)
	}
}
