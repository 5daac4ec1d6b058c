// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"crypto/x509"
	"slices"
	"time"
)

// settle is how long every APIService must have trusted a CA before a certificate of it is served: each kube-apiserver
// observes changes of APIServices with a delay, usually within a second.
const settle = 20 * time.Second

// step is one change of the Secret.
type step string

const (
	keep step = "nothing to do"
	// create creates a CA and a certificate, because nothing can be kept.
	create step = "create a CA and a certificate"
	// restore writes the served certificate to the Secret again, together with a new CA that signs
	// the next one.
	restore step = "restore the served certificate, and add a CA"
	// remember adds the served certificates to a Secret that another client has written.
	remember step = "trust the served certificates"
	// addCA adds a CA that will replace the current one. It signs nothing before it is trusted.
	addCA step = "add a CA"
	// renew signs a new serving certificate.
	renew step = "renew the serving certificate"
	// prune removes expired certificates, and CAs without a valid certificate.
	prune step = "remove expired certificates and CAs"
)

// observation is everything that a decision depends on.
type observation struct {
	// stored is the content of the Secret: nil if the Secret does not exist or is damaged.
	stored *record
	// served is what this replica serves: nil before it serves a certificate.
	served *record
	// seen is the last content of the Secret that contained all certificates that may be served:
	// another replica may already use it while this one does not. Nil before the first one.
	seen *record
	// trust is the set of CAs that the APIServices trust.
	trust *trust
	// hosts are the names of the certificate.
	hosts []string
	now   time.Time
}

// servable reports whether this replica has a certificate that has not expired.
func (o observation) servable() bool {
	return o.served != nil && !o.now.After(o.served.leaf().NotAfter)
}

// live returns the records whose certificates a replica may serve now: the one of this replica, and
// the last one that was seen, if the APIServices accept it, because other replicas then use it.
func (o observation) live() []*record {
	var all []*record
	if o.servable() {
		all = append(all, o.served)
	}
	if o.seen != nil && o.seen != o.served && !o.now.After(o.seen.leaf().NotAfter) && o.trust.accepts(o.seen, o.now) {
		all = append(all, o.seen)
	}
	return all
}

// whole reports whether the Secret is complete: it contains all certificates that may be served.
func (o observation) whole() bool {
	return o.stored != nil && !slices.ContainsFunc(o.live(), func(r *record) bool { return !o.stored.knows(r.chain) })
}

// decide returns the next change of the Secret.
func decide(o observation) step {
	switch {
	case o.stored == nil && o.servable():
		return restore
	case o.stored == nil:
		return create
	case !o.whole():
		return remember
	case o.stored.signer == nil || due(o.stored.signer.cert, o.now):
		return addCA
	case outdated(o):
		if o.trust.settled(o.stored.signer.cert, o.now) {
			return renew
		}
		return keep
	}
	if cas, retired := o.stored.inUse(o.now); len(cas) < len(o.stored.cas) || len(retired) < len(o.stored.retired) {
		return prune
	}
	return keep
}

// outdated reports whether the stored certificate needs a successor.
func outdated(o observation) bool {
	leaf := o.stored.leaf()
	if due(leaf, o.now) || !issued(o.stored.signer.cert, leaf, o.stored.chain[1:]) {
		return true
	}
	return slices.ContainsFunc(o.hosts, func(host string) bool { return leaf.VerifyHostname(host) != nil })
}

// due reports whether two thirds of a certificate's lifetime are over, or whether it has not
// started, which means that a clock was wrong.
func due(c *x509.Certificate, now time.Time) bool {
	life := c.NotAfter.Sub(c.NotBefore)
	return now.Before(c.NotBefore) || now.After(c.NotBefore.Add(life/3*2))
}

// perform returns the record that results from a step.
func perform(s step, o observation) (*record, error) {
	var next record
	if o.stored != nil {
		next = *o.stored
	}
	var err error
	switch s {
	case create, restore, addCA:
		if next.signer, err = newAuthority(o.now); err != nil {
			return nil, err
		}
		next.cas = append([]*x509.Certificate{next.signer.cert}, next.cas...)
	}
	switch s {
	case create, renew:
		next.retired = slices.Concat(next.retired, next.chain)
		if next.pair, err = next.signer.issue(o.hosts, o.now); err != nil {
			return nil, err
		}
	case restore:
		next.pair = o.served.pair
	case prune:
		next.cas, next.retired = next.inUse(o.now)
	}
	if s == create || s == restore || s == remember {
		next.take(o)
	}
	next.cas, next.retired = unique(next.cas), unique(next.retired)
	data, err := next.data()
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// take adds the CAs and certificates that are needed to trust all certificates that may be served.
func (r *record) take(o observation) {
	for _, live := range o.live() {
		cas, retired := live.inUse(o.now)
		r.cas, r.retired = slices.Concat(r.cas, cas), slices.Concat(r.retired, retired)
		if !bytes.Equal(live.pair.cert, r.pair.cert) {
			r.retired = append(r.retired, live.chain...)
		}
	}
}

// unique removes all but the first of equal certificates.
func unique(all []*x509.Certificate) []*x509.Certificate {
	var kept []*x509.Certificate
	for _, c := range all {
		if !slices.ContainsFunc(kept, c.Equal) {
			kept = append(kept, c)
		}
	}
	return kept
}
