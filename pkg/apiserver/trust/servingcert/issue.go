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
	// backdate tolerates clocks that are slightly behind.
	backdate = 5 * time.Minute
)

// pair is a certificate, with its chain, and its key in PEM.
type pair struct {
	cert, key []byte
}

// authority is a CA that can sign.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// newAuthority returns a CA.
func newAuthority(now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("CA key: %w", err)
	}
	// Different names distinguish CAs in the output of tools.
	ca := template(fmt.Sprintf("roadstead-serving-ca@%d", now.Unix()), now, now.Add(caLife))
	ca.IsCA, ca.BasicConstraintsValid = true, true
	ca.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	signed, err := sign(ca, ca, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("CA certificate: %w", err)
	}
	return &authority{cert: signed, key: key}, nil
}

// issue creates a serving certificate for hosts (DNS names or IP addresses). It does not outlive
// the CA.
func (a *authority) issue(hosts []string, now time.Time) (pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, fmt.Errorf("serving key: %w", err)
	}
	end := now.Add(servingLife)
	if a.cert.NotAfter.Before(end) {
		end = a.cert.NotAfter
	}
	leaf := template(hosts[0], now, end)
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else {
			leaf.DNSNames = append(leaf.DNSNames, host)
		}
	}
	signed, err := sign(leaf, a.cert, key.Public(), a.key)
	if err != nil {
		return pair{}, fmt.Errorf("serving certificate: %w", err)
	}
	certPEM, err := cert.EncodeCertificates(signed)
	if err != nil {
		return pair{}, err
	}
	keyPEM, err := keyutil.MarshalPrivateKeyToPEM(key)
	return pair{cert: certPEM, key: keyPEM}, err
}

func template(commonName string, now, end time.Time) *x509.Certificate {
	return &x509.Certificate{
		// A serial number of 62 random bits is sufficiently unique for one installation.
		SerialNumber: serial(),
		Subject:      pkix.Name{CommonName: commonName},
		NotBefore:    now.Add(-backdate),
		NotAfter:     end,
	}
}

func serial() *big.Int {
	// rand.Reader does not fail (crypto/rand since Go 1.24), nor does Int with a positive bound.
	number, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return number.Add(number, big.NewInt(1))
}

func sign(certificate, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, certificate, parent, public, signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}
