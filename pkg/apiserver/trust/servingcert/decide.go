// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"bytes"
	"crypto/x509"
	"slices"
	"time"
)

// settle is how long every APIService must have trusted a CA before a certificate of it is served: each kube-apiserver
// follows the APIServices at its own pace, usually within a second.
const settle = 20 * time.Second

// step is one change of the Secret.
type step string

const (
	keep step = "nothing to do"
	// create makes everything anew: nothing can be saved.
	create step = "make a CA and a certificate"
	// restore puts the certificate that is served back into the Secret, beside a new CA that signs the next one.
	restore step = "put the served certificate back, beside a new CA"
	// remember adds what is served to a Secret that another hand has written.
	remember step = "keep what is served trusted"
	// addCA makes a CA beside the one that is to be replaced. Nothing is signed by it before it is trusted.
	addCA step = "add a CA"
	// renew signs a new serving certificate.
	renew step = "renew the serving certificate"
	// prune drops expired certificates, and CAs that nothing is left of.
	prune step = "drop expired certificates and CAs"
)

// observation is everything that a decision depends on.
type observation struct {
	// stored is the content of the Secret: nil when there is none or it is damaged.
	stored *record
	// served is what this replica serves: nil before it serves.
	served *record
	// seen is the last content of the Secret that accounted for all that may be served: another replica may have followed it
	// already when this one has not. Nil before the first.
	seen *record
	// trust is what the APIServices trust.
	trust *trust
	// hosts are the names that the certificate is for.
	hosts []string
	now   time.Time
}

// servable tells whether this replica has a certificate that has not expired.
func (o observation) servable() bool {
	return o.served != nil && !o.now.After(o.served.leaf().NotAfter)
}

// live are the records whose certificates some replica may serve now: this one's, and the last one that was seen, as soon
// as the APIServices take it, which is when others follow it.
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

// whole tells whether the Secret accounts for all that may be served.
func (o observation) whole() bool {
	return o.stored != nil && !slices.ContainsFunc(o.live(), func(r *record) bool { return !o.stored.knows(r.chain) })
}

// decide tells what the Secret should become next.
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

// outdated tells whether the stored certificate needs a successor.
func outdated(o observation) bool {
	leaf := o.stored.leaf()
	if due(leaf, o.now) || !issued(o.stored.signer.cert, leaf, o.stored.chain[1:]) {
		return true
	}
	return slices.ContainsFunc(o.hosts, func(host string) bool { return leaf.VerifyHostname(host) != nil })
}

// due tells whether two thirds of a certificate's life are over, or it has not begun: then a clock was wrong.
func due(c *x509.Certificate, now time.Time) bool {
	life := c.NotAfter.Sub(c.NotBefore)
	return now.Before(c.NotBefore) || now.After(c.NotBefore.Add(life/3*2))
}

// perform makes the record that a step leads to.
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

// take adds what is needed to trust all that may be served.
func (r *record) take(o observation) {
	for _, live := range o.live() {
		cas, retired := live.inUse(o.now)
		r.cas, r.retired = slices.Concat(r.cas, cas), slices.Concat(r.retired, retired)
		if !bytes.Equal(live.pair.cert, r.pair.cert) {
			r.retired = append(r.retired, live.chain...)
		}
	}
}

// unique drops all but the first of equal certificates.
func unique(all []*x509.Certificate) []*x509.Certificate {
	var kept []*x509.Certificate
	for _, c := range all {
		if !slices.ContainsFunc(kept, c.Equal) {
			kept = append(kept, c)
		}
	}
	return kept
}
