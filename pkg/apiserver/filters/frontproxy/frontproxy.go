// SPDX-License-Identifier: Apache-2.0

// Package frontproxy authenticates requests of the aggregation layer as the generic server does,
// but does not verify the same client certificate again for each request: the check of the
// signature took the largest single part of the CPU time of a request.
package frontproxy

import (
	"crypto/x509"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/group"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	x509request "k8s.io/apiserver/pkg/authentication/request/x509"
	"k8s.io/utils/clock"
)

// maxVerified is the maximum number of cached certificates: each kube-apiserver has a certificate,
// and possibly the previous one.
const maxVerified = 16

// Authenticator authenticates the user in the headers of a request if the client certificate is
// that of the aggregation layer. It has no opinion about other requests.
type Authenticator struct {
	headers  authenticator.Request
	names    headerrequest.StringSliceProvider
	options  x509request.VerifyOptionFunc
	clock    clock.PassiveClock
	verified atomic.Pointer[[]verified]
}

// verified is a certificate that was verified. The result depends only on the certificate, the CAs
// and the time. The TLS connection proves that the client has the key of the certificate.
type verified struct {
	leaf  *x509.Certificate
	roots *x509.CertPool
	// All certificates of the chain are valid between from and until.
	from, until time.Time
}

// New returns an authenticator for a configuration, whose CAs and names may change later.
func New(config *authenticatorfactory.RequestHeaderConfig, clock clock.PassiveClock) authenticator.Request {
	return group.NewAuthenticatedGroupAdder(&Authenticator{
		headers: headerrequest.NewDynamic(config.UsernameHeaders, config.UIDHeaders, config.GroupHeaders, config.ExtraHeaderPrefixes),
		names:   config.AllowedClientNames, options: config.CAContentProvider.VerifyOptions, clock: clock,
	})
}

// AuthenticateRequest implements authenticator.Request.
func (a *Authenticator) AuthenticateRequest(r *http.Request) (*authenticator.Response, bool, error) {
	// The authenticator of the generic server handles certificates with intermediates.
	if r.TLS == nil || len(r.TLS.PeerCertificates) != 1 {
		return nil, false, nil
	}
	leaf := r.TLS.PeerCertificates[0]
	if names := a.names.Value(); len(names) > 0 && !slices.Contains(names, leaf.Subject.CommonName) {
		return nil, false, nil
	}
	options, known := a.options()
	if !known || !a.good(leaf, options) {
		return nil, false, nil
	}
	return a.headers.AuthenticateRequest(r)
}

// good reports whether a certificate is valid now with the current CAs.
func (a *Authenticator) good(leaf *x509.Certificate, options x509.VerifyOptions) bool {
	now := a.clock.Now()
	var before []verified
	if all := a.verified.Load(); all != nil {
		before = *all
	}
	for _, v := range before {
		// A change of the CAs results in another pool.
		if v.roots == options.Roots && !now.Before(v.from) && !now.After(v.until) && v.leaf.Equal(leaf) {
			return true
		}
	}
	options.CurrentTime = now
	chains, err := leaf.Verify(options)
	if err != nil {
		return false
	}
	found := verified{leaf: leaf, roots: options.Roots}
	found.from, found.until = validity(chains[0])
	next := append([]verified{found}, before...)
	if len(next) > maxVerified {
		next = next[:maxVerified]
	}
	// Of two concurrent changes one is lost, and its certificate is verified again.
	a.verified.Store(&next)
	return true
}

// validity returns the period in which all certificates of a chain are valid.
func validity(chain []*x509.Certificate) (from, until time.Time) {
	from, until = chain[0].NotBefore, chain[0].NotAfter
	for _, c := range chain {
		if c.NotBefore.After(from) {
			from = c.NotBefore
		}
		if c.NotAfter.Before(until) {
			until = c.NotAfter
		}
	}
	return from, until
}
