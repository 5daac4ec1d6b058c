// SPDX-License-Identifier: Apache-2.0

package frontproxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	clocktesting "k8s.io/utils/clock/testing"
)

var now = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, life time.Duration) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotBefore: now, NotAfter: now.Add(life),
		IsCA: true, BasicConstraintsValid: true}
	return authority{sign(t, template, template, key, key), key}
}

// client returns a client certificate.
func (a authority) client(t *testing.T, name string, life time.Duration, usage x509.ExtKeyUsage) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: now, NotAfter: now.Add(life),
		ExtKeyUsage: []x509.ExtKeyUsage{usage}}
	return sign(t, template, a.cert, key, a.key)
}

func sign(t *testing.T, template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert
}

// trusted are CAs that may change; none: unknown.
type trusted struct {
	dynamiccertificates.CAContentProvider
	options *x509.VerifyOptions
}

func (c *trusted) VerifyOptions() (x509.VerifyOptions, bool) {
	if c.options == nil {
		return x509.VerifyOptions{}, false
	}
	return *c.options, true
}

func (c *trusted) set(all ...authority) {
	c.options = &x509.VerifyOptions{Roots: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, a := range all {
		c.options.Roots.AddCert(a.cert)
	}
}

func request(certs ...*x509.Certificate) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("X-Remote-User", "ann")
	r.Header.Add("X-Remote-Group", "team")
	r.TLS = &tls.ConnectionState{PeerCertificates: certs}
	return r
}

func TestWhoIsTheAggregationLayer(t *testing.T) {
	const year = 365 * 24 * time.Hour
	ca, other, short := newAuthority(t, 2*year), newAuthority(t, 2*year), newAuthority(t, time.Hour)
	clientAuth, serverAuth := x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth
	cas, clock := &trusted{}, clocktesting.NewFakePassiveClock(now.Add(time.Minute))
	a := New(&authenticatorfactory.RequestHeaderConfig{
		CAContentProvider: cas, AllowedClientNames: headerrequest.StaticStringSlice{"front-proxy"},
		UsernameHeaders: headerrequest.StaticStringSlice{"X-Remote-User"}, GroupHeaders: headerrequest.StaticStringSlice{"X-Remote-Group"},
		UIDHeaders: headerrequest.StaticStringSlice{}, ExtraHeaderPrefixes: headerrequest.StaticStringSlice{},
	}, clock)
	known := func(want bool, what string, certs ...*x509.Certificate) {
		t.Helper()
		// The second result is from the cache, if allowed.
		for range 2 {
			response, ok, err := a.AuthenticateRequest(request(certs...))
			require.NoError(t, err, what)
			require.Equal(t, want, ok, what)
			if ok {
				require.Equal(t, "ann", response.User.GetName())
				require.Equal(t, []string{"team", "system:authenticated"}, response.User.GetGroups())
			}
		}
	}
	proxy := ca.client(t, "front-proxy", year, clientAuth)
	known(false, "no CA is known", proxy)
	cas.set(ca, short)
	known(true, "the aggregation layer", proxy)
	known(true, "another of its certificates", ca.client(t, "front-proxy", year, clientAuth))
	known(false, "another name", ca.client(t, "somebody", year, clientAuth))
	known(false, "another CA", other.client(t, "front-proxy", year, clientAuth))
	known(false, "another use", ca.client(t, "front-proxy", year, serverAuth))
	known(false, "no certificate")
	known(false, "intermediates", proxy, ca.cert)
	plain := request(proxy)
	plain.TLS = nil
	_, ok, err := a.AuthenticateRequest(plain)
	require.NoError(t, err)
	require.False(t, ok, "no TLS")
	nobody := request(proxy)
	nobody.Header.Del("X-Remote-User")
	_, ok, err = a.AuthenticateRequest(nobody)
	require.NoError(t, err)
	require.False(t, ok, "its own request")

	brief := short.client(t, "front-proxy", year, clientAuth)
	known(true, "a certificate of a CA that ends soon", brief)
	clock.SetTime(now.Add(2 * time.Hour))
	known(false, "the CA has expired, though the certificate was good", brief)
	known(true, "the other is still good", proxy)
	clock.SetTime(now.Add(-time.Hour))
	known(false, "the clock has gone back", proxy)
	clock.SetTime(now.Add(2 * time.Hour))
	cas.set(other)
	known(false, "the CAs have changed", proxy)
	cas.set(ca)
	known(true, "and back", proxy)
	clock.SetTime(now.Add(year + time.Hour))
	known(false, "it has expired", proxy)
}

func TestACertificateIsVerifiedOnce(t *testing.T) {
	ca := newAuthority(t, time.Hour)
	cas := &trusted{}
	cas.set(ca)
	a := &Authenticator{
		headers: headerrequest.NewDynamic(headerrequest.StaticStringSlice{"X-Remote-User"}, headerrequest.StaticStringSlice{},
			headerrequest.StaticStringSlice{}, headerrequest.StaticStringSlice{}),
		names: headerrequest.StaticStringSlice{}, options: cas.VerifyOptions, clock: clocktesting.NewFakePassiveClock(now),
	}
	first := ca.client(t, "a", time.Hour, x509.ExtKeyUsageClientAuth)
	for range 3 {
		_, ok, err := a.AuthenticateRequest(request(first))
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.Len(t, *a.verified.Load(), 1)
	for range 2 * maxVerified {
		_, ok, err := a.AuthenticateRequest(request(ca.client(t, "a", time.Hour, x509.ExtKeyUsageClientAuth)))
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.Len(t, *a.verified.Load(), maxVerified, "and not everything is kept")
}
