// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"slices"
)

// Names of the files that a rotation adds.
const (
	frontProxyNext     = "front-proxy-next"
	frontProxyPrevious = "front-proxy-previous"
)

// FrontProxyRotation replaces the client certificate of the aggregator and its authority without
// interruption of service. kube-apiserver reloads the files within a minute, without a restart.
type FrontProxyRotation struct {
	certs     *certs
	next, ca  *keyPair
	oldBundle []byte
}

// RotateFrontProxy begins a rotation: both authorities are trusted, and the old certificate is
// still used.
func (c *Cluster) RotateFrontProxy() (*FrontProxyRotation, error) {
	r := &FrontProxyRotation{certs: c.certs}
	var err error
	if r.ca, err = newCA("roadstead-test-front-proxy-ca-2"); err != nil {
		return nil, err
	}
	if r.next, err = r.ca.client(frontProxyUser); err != nil {
		return nil, err
	}
	if err := c.certs.write(frontProxyNext, r.next); err != nil {
		return nil, err
	}
	if r.oldBundle, err = os.ReadFile(c.RequestHeaderCA()); err != nil {
		return nil, err
	}
	return r, replaceFile(c.RequestHeaderCA(), slices.Concat(r.oldBundle, r.ca.certPEM()))
}

// Next returns the paths of the new client certificate and key.
func (r *FrontProxyRotation) Next() (cert, key string) {
	return r.certs.crt(frontProxyNext), r.certs.key(frontProxyNext)
}

// Previous returns the paths of the old client certificate and key, after Switch.
func (r *FrontProxyRotation) Previous() (cert, key string) {
	return r.certs.crt(frontProxyPrevious), r.certs.key(frontProxyPrevious)
}

// Switch makes the aggregator use the new certificate.
func (r *FrontProxyRotation) Switch() error {
	key, err := r.next.keyPEM()
	if err != nil {
		return err
	}
	for path, content := range map[string][]byte{r.certs.crt("front-proxy"): r.next.certPEM(), r.certs.key("front-proxy"): key} {
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		previous := r.certs.crt(frontProxyPrevious)
		if path == r.certs.key("front-proxy") {
			previous = r.certs.key(frontProxyPrevious)
		}
		if err := os.WriteFile(previous, old, 0o600); err != nil {
			return err
		}
		if err := replaceFile(path, content); err != nil {
			return err
		}
	}
	return nil
}

// Finish removes the trust in the old authority.
func (r *FrontProxyRotation) Finish() error {
	return replaceFile(r.certs.crt("front-proxy-ca"), r.ca.certPEM())
}

// replaceFile replaces a file atomically, so that readers never see partial content.
func replaceFile(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
