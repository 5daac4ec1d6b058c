// SPDX-License-Identifier: Apache-2.0

// Package frontproxy recognises requests that the aggregation layer passes on, as the generic server does, but does not
// verify the same client certificate again for each of them: that is a check of a signature, and was the largest single
// item in the CPU of a request.
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

// maxVerified bounds what is remembered: an aggregation layer has a certificate for each kube-apiserver, and the one before.
const maxVerified = 16

// Authenticator takes the user of a request from its headers when its client certificate is that of the aggregation layer.
// Of any other request it says nothing, so that others decide.
type Authenticator struct {
	headers  authenticator.Request
	names    headerrequest.StringSliceProvider
	options  x509request.VerifyOptionFunc
	clock    clock.PassiveClock
	verified atomic.Pointer[[]verified]
}

// verified is a certificate that was found good. That follows from the certificate, the CAs and the time, and the one whose
// key the connection proved is no other.
type verified struct {
	leaf  *x509.Certificate
	roots *x509.CertPool
	// from and until are when all certificates of its chain are valid.
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
	// With intermediates the generic server's own authenticator has the word.
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

// good tells whether a certificate is valid now by the CAs of today.
func (a *Authenticator) good(leaf *x509.Certificate, options x509.VerifyOptions) bool {
	now := a.clock.Now()
	var before []verified
	if all := a.verified.Load(); all != nil {
		before = *all
	}
	for _, v := range before {
		// A change of the CAs makes another pool.
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
	// Of two at once one is forgotten, and verified again.
	a.verified.Store(&next)
	return true
}

// validity is when all certificates of a chain are valid.
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
