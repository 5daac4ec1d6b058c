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
	// uid is that of the user and its group whom the programs run as. The shipped manifests name it too.
	uid = 65532
	// certificates is the first place where Go looks for the CAs that a system trusts. Mount your own file there to
	// replace them.
	certificates = "etc/ssl/certs/ca-certificates.crt"
	passwd       = "etc/passwd"
	group        = "etc/group"
)

// baseLayer is what every program needs besides its binary: the CAs of the web, for the systems that it calls, and a name
// for its user. There is no shell, no C library, and no folder that the user can write into: what a program writes goes
// into volumes. Time zones are not in it: the programs that need them have them compiled in.
func baseLayer() (v1.Layer, error) {
	roots, err := rootCertificates()
	if err != nil {
		return nil, err
	}
	// The user has no home: whatever wants to keep something there fails and says so, read-only root or not.
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

// rootCertificates are Mozilla's, as the Go project publishes them in a module: their version is pinned in go.mod and
// checked by go.sum, and nothing comes from the machine that builds.
func rootCertificates() ([]byte, error) {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		// A file cannot say "only what was issued before that day". Such roots are on their way out of the bundle: leave
		// them out rather than trust them wholly.
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
