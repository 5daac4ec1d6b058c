// SPDX-License-Identifier: Apache-2.0

// Package privateca generates certificates of private CAs for stand-ins that serve TLS on this
// machine.
package privateca

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"

	"k8s.io/client-go/util/cert"
)

// New generates a CA and a certificate for 127.0.0.1 and localhost. It returns the configuration of
// a server and the CA in PEM, which its clients must trust. Both are valid for one year.
func New() (serving *tls.Config, authority []byte, err error) {
	chain, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"localhost"})
	if err != nil {
		return nil, nil, fmt.Errorf("privateca: %w", err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, nil, fmt.Errorf("privateca: %w", err)
	}
	// The chain consists of the serving certificate followed by that of the CA.
	if len(pair.Certificate) != 2 {
		return nil, nil, errors.New("privateca: the chain has not two certificates")
	}
	var out bytes.Buffer
	if err := pem.Encode(&out, &pem.Block{Type: cert.CertificateBlockType, Bytes: pair.Certificate[1]}); err != nil {
		return nil, nil, fmt.Errorf("privateca: %w", err)
	}
	pair.Certificate = pair.Certificate[:1]
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, out.Bytes(), nil
}
