// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto/x509"
	"slices"
	"time"
)

// trust is what the APIServices trust, and since when.
type trust struct {
	// bundles are the CAs of each APIService.
	bundles [][]*x509.Certificate
	// since is the time at which each CA that is in all of them was first seen there, by its DER
	// form.
	since map[string]time.Time
}

// observed returns the trust after the APIServices were read. The receiver may be nil.
func (t *trust) observed(bundles [][]*x509.Certificate, now time.Time) *trust {
	next := &trust{bundles: bundles, since: map[string]time.Time{}}
	if len(bundles) == 0 {
		return next
	}
	for _, ca := range bundles[0] {
		if !slices.ContainsFunc(bundles, func(b []*x509.Certificate) bool { return !slices.ContainsFunc(b, ca.Equal) }) {
			next.since[string(ca.Raw)] = now
			if t != nil {
				if before, ok := t.since[string(ca.Raw)]; ok {
					next.since[string(ca.Raw)] = before
				}
			}
		}
	}
	return next
}

// settled reports whether every APIService has trusted a CA for long enough. Without APIServices it
// returns false.
func (t *trust) settled(ca *x509.Certificate, now time.Time) bool {
	since, ok := t.since[string(ca.Raw)]
	return len(t.bundles) == 0 || ok && now.Sub(since) >= settle
}

// accepts reports whether every APIService accepts the certificate of a record now.
func (t *trust) accepts(r *record, now time.Time) bool {
	return !slices.ContainsFunc(t.bundles, func(b []*x509.Certificate) bool { return verify(b, r.leaf(), r.chain[1:], now) != nil })
}

// follow reports whether this replica should serve the stored certificate from now on.
func follow(o observation) bool {
	switch {
	case o.stored == nil:
		return false
	case o.served == nil:
		return true
	case o.stored.leaf().Equal(o.served.leaf()) || !o.trust.accepts(o.stored, o.now):
		return false
	case !o.trust.accepts(o.served, o.now):
		return true
	}
	return slices.ContainsFunc(o.stored.issuers(), func(ca *x509.Certificate) bool { return o.trust.settled(ca, o.now) })
}
