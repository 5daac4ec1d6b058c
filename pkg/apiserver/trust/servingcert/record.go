// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"roadstead.dev/roadstead/pkg/util/names"
)

const (
	// SecretName is the Secret in the installation's namespace with the serving certificate and its
	// CA.
	SecretName = names.ServingSecret
	// caKey is the key of the CA certificates that the aggregation layer has to trust; tls.crt and tls.key are the serving
	// pair.
	caKey = "ca.crt"
	// caPrivateKey is the key of the private key that signs the next serving certificate; its CA is in caKey.
	caPrivateKey = "ca.key"
	// retiredKey is the key of serving certificates that were replaced before they expired: a
	// replica may still serve them.
	retiredKey = "retired.crt"
)

// record is the content of the Secret. It is never changed in place.
type record struct {
	// cas are the CAs that must be trusted.
	cas []*x509.Certificate
	// signer is the CA that signs; nil if there is no matching key.
	signer *authority
	pair   pair
	// chain is pair.cert: the leaf and the intermediates after it.
	chain []*x509.Certificate
	// retired are the chains of replaced certificates.
	retired []*x509.Certificate
}

// parse reads the data of the Secret. Its errors contain no data of the Secret.
func parse(data map[string][]byte) (*record, error) {
	r := &record{pair: pair{cert: data[corev1.TLSCertKey], key: data[corev1.TLSPrivateKeyKey]}}
	if _, err := tls.X509KeyPair(r.pair.cert, r.pair.key); err != nil {
		return nil, fmt.Errorf("%s and %s are not a certificate and its key", corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	var err error
	if r.chain, err = cert.ParseCertsPEM(r.pair.cert); err != nil {
		return nil, fmt.Errorf("%s is not a certificate", corev1.TLSCertKey)
	}
	if r.cas, err = cert.ParseCertsPEM(data[caKey]); err != nil {
		return nil, fmt.Errorf("%s holds no certificate", caKey)
	}
	if len(data[retiredKey]) > 0 {
		if r.retired, err = cert.ParseCertsPEM(data[retiredKey]); err != nil {
			return nil, fmt.Errorf("%s holds no certificates", retiredKey)
		}
	}
	if len(r.issuers()) == 0 {
		return nil, fmt.Errorf("%s was not signed by a CA in %s", corev1.TLSCertKey, caKey)
	}
	r.signer = findSigner(r.cas, data[caPrivateKey])
	return r, nil
}

// findSigner returns the CA that a private key belongs to.
func findSigner(cas []*x509.Certificate, key []byte) *authority {
	parsed, err := keyutil.ParsePrivateKeyPEM(key)
	if err != nil {
		return nil
	}
	signer, ok := parsed.(crypto.Signer)
	if !ok {
		return nil
	}
	public, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool })
	if !ok {
		return nil
	}
	for _, ca := range cas {
		if public.Equal(ca.PublicKey) {
			return &authority{cert: ca, key: signer}
		}
	}
	return nil
}

// data is the inverse of parse.
func (r *record) data() (map[string][]byte, error) {
	bundle, err := r.bundle()
	if err != nil {
		return nil, err
	}
	data := map[string][]byte{caKey: bundle, corev1.TLSCertKey: r.pair.cert, corev1.TLSPrivateKeyKey: r.pair.key}
	if r.signer != nil {
		if data[caPrivateKey], err = keyutil.MarshalPrivateKeyToPEM(r.signer.key); err != nil {
			return nil, err
		}
	}
	if len(r.retired) > 0 {
		if data[retiredKey], err = cert.EncodeCertificates(r.retired...); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// bundle returns the CAs that the aggregation layer must trust, in PEM.
func (r *record) bundle() ([]byte, error) { return cert.EncodeCertificates(r.cas...) }

func (r *record) leaf() *x509.Certificate { return r.chain[0] }

// issuers returns the CAs of the record that signed its serving certificate.
func (r *record) issuers() []*x509.Certificate {
	return slices.DeleteFunc(slices.Clone(r.cas), func(ca *x509.Certificate) bool { return !issued(ca, r.leaf(), r.chain[1:]) })
}

// knows reports whether the record contains a certificate that may be served, and a CA that signed
// it.
func (r *record) knows(chain []*x509.Certificate) bool {
	listed := r.leaf().Equal(chain[0]) || slices.ContainsFunc(r.retired, chain[0].Equal)
	return listed && slices.ContainsFunc(r.cas, func(ca *x509.Certificate) bool { return issued(ca, chain[0], chain[1:]) })
}

// inUse returns the CAs without which a certificate that may still be served would not be trusted,
// and the retired certificates that have not expired.
func (r *record) inUse(now time.Time) (cas, retired []*x509.Certificate) {
	retired = slices.DeleteFunc(slices.Clone(r.retired), func(c *x509.Certificate) bool { return now.After(c.NotAfter) })
	needed := func(ca *x509.Certificate) bool {
		return r.signer != nil && r.signer.cert.Equal(ca) || issued(ca, r.leaf(), r.chain[1:]) ||
			slices.ContainsFunc(retired, func(c *x509.Certificate) bool { return !c.IsCA && issued(ca, c, retired) })
	}
	cas = slices.DeleteFunc(slices.Clone(r.cas), func(ca *x509.Certificate) bool { return !needed(ca) })
	return cas, retired
}

// issued reports whether a CA signed a certificate, independent of the time.
func issued(ca, leaf *x509.Certificate, intermediates []*x509.Certificate) bool {
	at := leaf.NotBefore
	if ca.NotBefore.After(at) {
		at = ca.NotBefore
	}
	return verify([]*x509.Certificate{ca}, leaf, intermediates, at) == nil
}

// verify verifies a certificate as a client that trusts cas, without the host name.
func verify(cas []*x509.Certificate, leaf *x509.Certificate, intermediates []*x509.Certificate, at time.Time) error {
	if len(cas) == 0 {
		return errors.New("no CA is trusted")
	}
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	for _, ca := range cas {
		roots.AddCert(ca)
	}
	for _, c := range intermediates {
		between.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: at,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	return err
}
