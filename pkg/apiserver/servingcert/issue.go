// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

const (
	caLife      = 10 * 365 * 24 * time.Hour
	servingLife = 365 * 24 * time.Hour
	// backdate tolerates clocks that are a little behind.
	backdate = 5 * time.Minute
)

// pair is PEM.
type pair struct {
	cert, key []byte
}

// issue makes a CA and a serving certificate for hosts (DNS names or IP addresses), signed by it.
func issue(hosts []string, now time.Time) (ca, serving pair, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return ca, serving, fmt.Errorf("CA key: %w", err)
	}
	caTemplate := template("roadstead-serving-ca", now, caLife)
	caTemplate.IsCA, caTemplate.BasicConstraintsValid = true, true
	caTemplate.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if ca, err = sign(caTemplate, caTemplate, caKey, caKey); err != nil {
		return ca, serving, fmt.Errorf("CA certificate: %w", err)
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return ca, serving, fmt.Errorf("serving key: %w", err)
	}
	leaf := template(hosts[0], now, servingLife)
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else {
			leaf.DNSNames = append(leaf.DNSNames, host)
		}
	}
	if serving, err = sign(leaf, caTemplate, key, caKey); err != nil {
		return ca, serving, fmt.Errorf("serving certificate: %w", err)
	}
	return ca, serving, nil
}

func template(commonName string, now time.Time, life time.Duration) *x509.Certificate {
	return &x509.Certificate{
		// A serial of 63 random bits is unique enough for one installation.
		SerialNumber: serial(),
		Subject:      pkix.Name{CommonName: commonName},
		NotBefore:    now.Add(-backdate),
		NotAfter:     now.Add(life),
	}
}

func serial() *big.Int {
	// rand.Reader does not fail (crypto/rand since Go 1.24), nor does Int with a positive bound.
	number, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return number.Add(number, big.NewInt(1))
}

func sign(certificate, parent *x509.Certificate, key *ecdsa.PrivateKey, signer crypto.Signer) (pair, error) {
	der, err := x509.CreateCertificate(rand.Reader, certificate, parent, key.Public(), signer)
	if err != nil {
		return pair{}, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return pair{}, err
	}
	certPEM, err := cert.EncodeCertificates(parsed)
	if err != nil {
		return pair{}, err
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return pair{}, err
	}
	return pair{cert: certPEM, key: keyPEM}, nil
}
