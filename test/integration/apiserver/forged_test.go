// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"roadstead.dev/roadstead/test/framework"
)

// ofAnotherCA returns a certificate with the content of genuine and its key, signed by another CA
// with the same name.
func ofAnotherCA(t *testing.T, genuine []byte) (certPEM, keyPEM []byte) {
	t.Helper()
	parsed, err := cert.ParseCertsPEM(genuine)
	require.NoError(t, err)
	ca, client := newKey(t), newKey(t)
	issuer := &x509.Certificate{
		SerialNumber: parsed[0].SerialNumber, Subject: parsed[0].Issuer, NotBefore: parsed[0].NotBefore, NotAfter: parsed[0].NotAfter,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	forged := &x509.Certificate{
		SerialNumber: parsed[0].SerialNumber, Subject: parsed[0].Subject, NotBefore: parsed[0].NotBefore, NotAfter: parsed[0].NotAfter,
		KeyUsage: parsed[0].KeyUsage, ExtKeyUsage: parsed[0].ExtKeyUsage,
	}
	der, err := x509.CreateCertificate(rand.Reader, forged, issuer, client.Public(), ca)
	require.NoError(t, err)
	made, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	certPEM, err = cert.EncodeCertificates(made)
	require.NoError(t, err)
	keyPEM, err = keyutil.MarshalPrivateKeyToPEM(client)
	require.NoError(t, err)
	return certPEM, keyPEM
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// TestHeadersDoNotPassTheAggregator verifies that headers added by a caller do not reach the
// server, which checks on its own whether the author may get the Secret.
func TestHeadersDoNotPassTheAggregator(t *testing.T) {
	t.Parallel()
	u := limited(t, env.Namespace(t))
	config := rest.CopyConfig(u.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			for _, prefix := range []string{"X-Remote-", "X_Remote_", "x-remote-"} {
				r.Header[prefix+"User"], r.Header[prefix+"Group"] = []string{"admin"}, []string{"system:masters"}
			}
			return next.RoundTrip(r)
		})
	})
	answer := framework.Do(t, config, framework.Request{
		Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace), ContentType: "application/yaml",
		Body: manifest("forged", "credentialsSecretRef: {name: foreign}"),
	})
	require.Equal(t, http.StatusForbidden, answer.Code, "%s", answer.Body)
	require.Contains(t, string(answer.Body), `spec.credentialsSecretRef: you may not get Secret`)
}
