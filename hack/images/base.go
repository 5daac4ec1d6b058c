// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	// uid is that of the user and group of the programs. The shipped manifests also contain it.
	uid = 65532
	// certificates is the first path where Go reads the trusted CAs of a system. Mount a file
	// there to replace them.
	certificates = "etc/ssl/certs/ca-certificates.crt"
	passwd       = "etc/passwd"
	group        = "etc/group"
)

// baseLayer returns what every program needs in addition to its binary: the public CAs, for the
// systems that it calls, and a name for its user. There is no shell, no C library, and no directory
// that the user can write to: programs write to volumes. Time zones are not included: the programs
// that need them have them compiled in.
func baseLayer() (v1.Layer, error) {
	roots, err := rootCertificates()
	if err != nil {
		return nil, err
	}
	// The user has no home directory: a program that writes to it fails with an error, whether the
	// root file system is read-only or not.
	user := fmt.Sprintf("roadstead:x:%d:%d::/nonexistent:/sbin/nologin\n", uid, uid)
	return newLayer(
		file{path: "etc/", mode: 0o755},
		file{path: group, mode: 0o444, content: fmt.Appendf(nil, "roadstead:x:%d:\n", uid)},
		file{path: passwd, mode: 0o444, content: []byte(user)},
		file{path: "etc/ssl/", mode: 0o755},
		file{path: "etc/ssl/certs/", mode: 0o755},
		file{path: certificates, mode: 0o444, content: roots},
	)
}

// rootCertificates returns Mozilla's root certificates, as the Go project publishes them in a
// module: their version is pinned in go.mod and verified by go.sum, and nothing depends on the
// machine of the build.
func rootCertificates() ([]byte, error) {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		// A file cannot express "only certificates issued before that day". Such roots are about to
		// be removed from the bundle, so they are left out rather than trusted without the
		// constraint.
		if root.Constraint != nil {
			continue
		}
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("bundle of root certificates: %w", err)
		}
		fmt.Fprintf(&all, "# %s\n", certificate.Subject)
		if err := pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	if all.Len() == 0 {
		return nil, errors.New("bundle of root certificates: it holds none that is trusted without conditions")
	}
	return all.Bytes(), nil
}
