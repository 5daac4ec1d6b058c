// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// certLife is far longer than any test or demo runs.
const certLife = 365 * 24 * time.Hour

// keyPair is a certificate with its key.
type keyPair struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newCA returns a self-signed authority.
func newCA(name string) (*keyPair, error) {
	return issue(&x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}, nil)
}

// client creates a client certificate. Kubernetes uses the common name as the user name and the
// organizations as the groups.
func (p *keyPair) client(user string, groups ...string) (*keyPair, error) {
	return issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, p)
}

// server creates a serving certificate for host names and IP addresses.
func (p *keyPair) server(name string, hosts ...string) (*keyPair, error) {
	return issue(serverTemplate(name, hosts, x509.ExtKeyUsageServerAuth), p)
}

// peer creates a certificate for servers that are also clients of each other.
func (p *keyPair) peer(name string, hosts ...string) (*keyPair, error) {
	return issue(serverTemplate(name, hosts, x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth), p)
}

func serverTemplate(name string, hosts []string, usages ...x509.ExtKeyUsage) *x509.Certificate {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: usages,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return template
}

// issue generates a key and a certificate signed by ca. The certificate is self-signed if ca is
// nil.
func issue(template *x509.Certificate, ca *keyPair) (*keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, err
	}
	// NotBefore is one hour in the past because tests of clock skew may run clocks behind.
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(certLife)
	if ca == nil {
		ca = &keyPair{cert: template, key: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, key.Public(), ca.key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &keyPair{cert: cert, key: key}, nil
}

// certPEM returns the certificate in PEM.
func (p *keyPair) certPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.cert.Raw})
}

// keyPEM returns the private key in PEM (PKCS #8).
func (p *keyPair) keyPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(p.key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// publicPEM returns the public key in PEM, in the format of --service-account-key-file.
func (p *keyPair) publicPEM() ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(p.key.Public())
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}
