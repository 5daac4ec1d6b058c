// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
)

// ServingSecret is the name of the Secret that holds the serving certificate. ServingHost is the
// host name of that certificate.
const (
	ServingSecret = "roadstead-serving"
	ServingHost   = "roadstead-apiserver.roadstead-system.svc"
)

// ReplaceServingCertificate writes a certificate of an unknown CA into the serving Secret, as an
// administrator with a private CA can do, and returns the certificate. The certificate was issued
// one hour ago and expires after left.
func (e *Env) ReplaceServingCertificate(t *testing.T, left time.Duration) *x509.Certificate {
	t.Helper()
	chain, key, err := cert.GenerateSelfSignedCertKeyWithOptions(cert.SelfSignedCertKeyOptions{
		Host: ServingHost, AlternateDNS: []string{ServingHost + ".cluster.local"}, MaxAge: time.Hour + left,
	})
	require.NoError(t, err)
	parsed, err := cert.ParseCertsPEM(chain)
	require.NoError(t, err)
	ca, err := cert.EncodeCertificates(parsed[len(parsed)-1])
	require.NoError(t, err)
	secrets := e.Admin.CoreV1().Secrets("roadstead-system")
	Await(t, "the Secret to be replaced", func() error {
		secret, err := secrets.Get(t.Context(), ServingSecret, metav1.GetOptions{})
		if err != nil {
			return err
		}
		secret.Data = map[string][]byte{"tls.crt": chain, "tls.key": key, "ca.crt": ca}
		_, err = secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
		return err
	})
	return parsed[0]
}

// ShownCertificate returns the certificate that the server at address presents to the aggregation
// layer.
func ShownCertificate(address string) (*x509.Certificate, error) {
	// The certificate is only inspected, so it does not need to be trusted.
	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, ServerName: ServingHost})
	if err != nil {
		return nil, err
	}
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0], nil
}
