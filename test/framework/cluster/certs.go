// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os"
	"path/filepath"
)

// User names of the client certificates. The built-in RBAC roles are bound to these names.
const (
	adminUser             = "roadstead-admin"
	controllerManagerUser = "system:kube-controller-manager"
	schedulerUser         = "system:kube-scheduler"
	kwokUser              = "kwok"
	frontProxyUser        = "front-proxy"
	mastersGroup          = "system:masters"
)

// certs holds the certificate authorities of one cluster and the directory of their files, named
// <name>.crt and <name>.key.
type certs struct {
	dir string
	ca  *keyPair
}

func (c *certs) crt(name string) string { return filepath.Join(c.dir, name+".crt") }
func (c *certs) key(name string) string { return filepath.Join(c.dir, name+".key") }

// writeCerts generates all certificates: an authority for clients and servers, a second authority
// that issues only the client certificate of the aggregator, and the key that signs ServiceAccount
// tokens.
func writeCerts(dir string) (*certs, error) {
	c := &certs{dir: dir}
	var err error
	if c.ca, err = newCA("roadstead-test-ca"); err != nil {
		return nil, err
	}
	proxyCA, err := newCA("roadstead-test-front-proxy-ca")
	if err != nil {
		return nil, err
	}
	serviceAccounts, err := newCA("roadstead-test-service-accounts")
	if err != nil {
		return nil, err
	}
	server, err := c.ca.server("kube-apiserver", "127.0.0.1", "localhost", firstServiceIP,
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
	if err != nil {
		return nil, err
	}
	proxy, err := proxyCA.client(frontProxyUser)
	if err != nil {
		return nil, err
	}
	for name, pair := range map[string]*keyPair{
		"ca": c.ca, "server": server, "front-proxy-ca": proxyCA, "front-proxy": proxy, "service-accounts": serviceAccounts,
	} {
		if err := c.write(name, pair); err != nil {
			return nil, err
		}
	}
	public, err := serviceAccounts.publicPEM()
	if err != nil {
		return nil, err
	}
	return c, os.WriteFile(filepath.Join(dir, "service-accounts.pub"), public, 0o644)
}

func (c *certs) write(name string, pair *keyPair) error {
	key, err := pair.keyPEM()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.key(name), key, 0o600); err != nil {
		return err
	}
	return os.WriteFile(c.crt(name), pair.certPEM(), 0o644)
}
