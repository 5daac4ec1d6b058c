// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	now   = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	hosts = []string{"svc.ns.svc", "svc.ns.svc.cluster.local"}
)

// made returns a record that the first step created at a time.
func made(t *testing.T, at time.Time) *record {
	t.Helper()
	r, err := perform(create, observation{hosts: hosts, now: at})
	require.NoError(t, err)
	return r
}

func after(t *testing.T, s step, o observation) *record {
	t.Helper()
	r, err := perform(s, o)
	require.NoError(t, err)
	return r
}

// trusting returns the trust of one APIService in a record's CAs for longer than it takes to
// settle.
func trusting(r *record, at time.Time) *trust {
	var none *trust
	return none.observed([][]*x509.Certificate{r.cas}, at.Add(-settle))
}

func TestWhatIsMade(t *testing.T) {
	r := made(t, now)
	pair, err := tls.X509KeyPair(r.pair.cert, r.pair.key)
	require.NoError(t, err)
	require.NoError(t, verify(r.cas, pair.Leaf, nil, now))
	for _, host := range hosts {
		require.NoError(t, pair.Leaf.VerifyHostname(host))
	}
	require.Error(t, pair.Leaf.VerifyHostname("other.ns.svc"))
	require.WithinDuration(t, now.Add(servingLife), pair.Leaf.NotAfter, time.Second)
	require.True(t, pair.Leaf.NotBefore.Before(now))
	require.Len(t, r.cas, 1)
	require.True(t, r.cas[0].IsCA)
	require.WithinDuration(t, now.Add(caLife), r.cas[0].NotAfter, time.Second)
	require.Empty(t, r.retired)
	data, err := r.data()
	require.NoError(t, err)
	again, err := parse(data)
	require.NoError(t, err)
	require.Equal(t, r, again)

	late, err := r.signer.issue([]string{"10.0.0.1"}, r.cas[0].NotAfter.Add(-time.Hour))
	require.NoError(t, err)
	pair, err = tls.X509KeyPair(late.cert, late.key)
	require.NoError(t, err)
	require.Equal(t, r.cas[0].NotAfter, pair.Leaf.NotAfter, "no certificate outlives its CA")
	require.NoError(t, pair.Leaf.VerifyHostname("10.0.0.1"))
}

func TestDecide(t *testing.T) {
	const day = 24 * time.Hour
	r := made(t, now)
	other := made(t, now)
	keyless := *r
	keyless.signer = nil
	withCA := after(t, addCA, observation{stored: r, now: now})
	renewed := after(t, renew, observation{stored: r, hosts: hosts, now: now.Add(250 * day)})
	foreign := after(t, remember, observation{stored: other, served: r, now: now})
	for name, tc := range map[string]struct {
		stored, served, seen *record
		trust                *trust
		hosts                []string
		at                   time.Time
		want                 step
	}{
		"nothing at all":                {want: create, at: now},
		"all is well":                   {stored: r, served: r, trust: trusting(r, now), at: now, want: keep},
		"before two thirds of its life": {stored: r, served: r, trust: trusting(r, now), at: now.Add(243 * day), want: keep},
		"after two thirds of its life":  {stored: r, served: r, trust: trusting(r, now), at: now.Add(244 * day), want: renew},
		"the CA is not trusted yet":     {stored: r, served: r, trust: trusting(other, now), at: now.Add(244 * day), want: keep},
		"one of two APIServices does not trust it": {stored: r, served: r, trust: (*trust)(nil).observed([][]*x509.Certificate{r.cas,
			other.cas}, now), at: now.Add(244 * day), want: keep},
		"the CA is trusted for a second": {stored: r, served: r, trust: (*trust)(nil).observed([][]*x509.Certificate{r.cas},
			now.Add(244*day-time.Second)), at: now.Add(244 * day), want: keep},
		"there is no APIService":      {stored: r, served: r, trust: &trust{}, at: now.Add(244 * day), want: renew},
		"the certificate has expired": {stored: r, served: r, trust: trusting(r, now), at: now.Add(400 * day), want: renew},
		"the clock was wrong": {stored: r, served: r, trust: trusting(r, now.Add(-10*day)),
			at: now.Add(-10 * day), want: addCA},
		"the Service has another name": {stored: r, served: r, trust: trusting(r, now),
			hosts: []string{"new.ns.svc"}, at: now, want: renew},
		"the CA is due":                     {stored: r, served: r, trust: trusting(r, now), at: now.Add(caLife / 3 * 2), want: addCA},
		"a new CA waits to be trusted":      {stored: withCA, served: r, trust: trusting(r, now), at: now, want: keep},
		"a new CA signs when it is trusted": {stored: withCA, served: r, trust: trusting(withCA, now), at: now, want: renew},
		"the Secret is gone":                {served: r, trust: trusting(r, now), at: now, want: restore},
		"the Secret and its time are gone":  {served: r, trust: trusting(r, now), at: now.Add(400 * day), want: create},
		"another hand wrote the Secret":     {stored: other, served: r, trust: trusting(r, now), at: now, want: remember},
		"another replica serves what was stored last": {stored: foreign, served: r, seen: renewed, trust: trusting(r, now),
			at: now.Add(250 * day), want: remember},
		"no replica can serve what was stored last": {stored: foreign, served: r, seen: other, trust: trusting(r, now), at: now, want: keep},
		"the key of the CA is gone":                 {stored: &keyless, served: r, trust: trusting(r, now), at: now, want: addCA},
		"the old certificate may be served yet": {stored: renewed, served: renewed, trust: trusting(r, now),
			at: now.Add(364 * day), want: keep},
		"the old certificate has expired": {stored: renewed, served: renewed, trust: trusting(r, now), at: now.Add(366 * day), want: prune},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.hosts == nil {
				tc.hosts = hosts
			}
			o := observation{stored: tc.stored, served: tc.served, seen: tc.seen, trust: tc.trust, hosts: tc.hosts, now: tc.at}
			got := decide(o)
			require.Equal(t, tc.want, got)
			if got != keep {
				o.stored = after(t, got, o)
				require.NotEqual(t, got, decide(o), "a step is taken once")
			}
		})
	}
}

func TestACAIsReplacedInOrder(t *testing.T) {
	r := made(t, now)
	old := r.cas[0]
	at := now.Add(caLife / 3 * 2)
	r = after(t, renew, observation{stored: r, hosts: hosts, now: at.Add(-100 * 24 * time.Hour)})
	o := observation{stored: r, served: r, trust: trusting(r, at), hosts: hosts, now: at.Add(time.Hour)}
	require.Equal(t, addCA, decide(o))
	o.stored = after(t, addCA, o)
	require.Len(t, o.stored.cas, 2)
	require.Equal(t, r.pair, o.stored.pair, "nothing is signed by the new CA yet")
	require.Equal(t, prune, decide(observation{stored: r, served: r, trust: o.trust, hosts: hosts, now: at.Add(-time.Hour)}),
		"the certificate of ten years ago has expired")

	o.trust = trusting(o.stored, o.now)
	require.Equal(t, renew, decide(o))
	o.stored = after(t, renew, o)
	require.True(t, issued(o.stored.cas[0], o.stored.leaf(), nil))
	require.False(t, issued(old, o.stored.leaf(), nil))
	require.True(t, follow(o))
	o.served = o.stored
	for decide(o) == prune {
		o.stored = after(t, prune, o)
	}
	require.Len(t, o.stored.cas, 2, "the certificate of the old CA is valid for months, and a replica may serve it")
	o.now = r.leaf().NotAfter.Add(time.Hour)
	require.Equal(t, renew, decide(o))
	o.stored = after(t, renew, o)
	require.Equal(t, prune, decide(o))
	o.stored = after(t, prune, o)
	require.Len(t, o.stored.cas, 1)
	require.False(t, o.stored.cas[0].Equal(old))
}

func TestFollow(t *testing.T) {
	r, other := made(t, now), made(t, now)
	both := slices.Concat(r.cas, other.cas)
	renewed := after(t, renew, observation{stored: r, hosts: hosts, now: now})
	for name, tc := range map[string]struct {
		stored, served *record
		trusted        []*x509.Certificate
		ago            time.Duration
		want           bool
	}{
		"no Secret":                              {served: r, trusted: r.cas, ago: settle},
		"at the start":                           {stored: r, want: true},
		"the same":                               {stored: r, served: r, trusted: r.cas, ago: settle},
		"a new one of a trusted CA":              {stored: renewed, served: r, trusted: r.cas, ago: settle, want: true},
		"a CA that is not trusted":               {stored: other, served: r, trusted: r.cas, ago: settle},
		"a CA that is trusted for a moment":      {stored: other, served: r, trusted: both, ago: time.Second},
		"a CA that is trusted for long":          {stored: other, served: r, trusted: both, ago: settle, want: true},
		"what is served is not trusted any more": {stored: other, served: r, trusted: other.cas, want: true},
		"neither is trusted":                     {stored: other, served: r, trusted: made(t, now).cas, ago: settle},
	} {
		t.Run(name, func(t *testing.T) {
			trusted := (*trust)(nil).observed([][]*x509.Certificate{tc.trusted}, now.Add(-tc.ago))
			require.Equal(t, tc.want, follow(observation{stored: tc.stored, served: tc.served, trust: trusted, now: now}))
		})
	}
}

func TestTrustIsRememberedWhileItLasts(t *testing.T) {
	a, b := made(t, now).cas[0], made(t, now).cas[0]
	one := func(cas ...*x509.Certificate) [][]*x509.Certificate { return [][]*x509.Certificate{cas} }
	var tr *trust
	tr = tr.observed(one(a), now)
	require.False(t, tr.settled(a, now))
	tr = tr.observed(one(b, a), now.Add(settle))
	require.True(t, tr.settled(a, now.Add(settle)))
	require.False(t, tr.settled(b, now.Add(settle)))
	tr = tr.observed([][]*x509.Certificate{{a, b}, {b}}, now.Add(2*settle))
	require.False(t, tr.settled(a, now.Add(2*settle)), "one APIService does not trust it")
	require.True(t, tr.settled(b, now.Add(2*settle)))
	tr = tr.observed(one(a, b), now.Add(3*settle))
	require.False(t, tr.settled(a, now.Add(3*settle)), "trust that was lost begins anew")
}

func TestParseNamesTheDamage(t *testing.T) {
	r := made(t, now)
	for name, tc := range map[string]struct {
		change func(map[string][]byte)
		want   string
	}{
		"empty":       {func(data map[string][]byte) { clear(data) }, "tls.crt and tls.key are not a certificate and its key"},
		"another key": {func(data map[string][]byte) { data["tls.key"] = made(t, now).pair.key }, "tls.crt and tls.key"},
		"no CA":       {func(data map[string][]byte) { delete(data, "ca.crt") }, "ca.crt holds no certificate"},
		"another CA": {func(data map[string][]byte) { data["ca.crt"], _ = made(t, now).bundle() },
			"tls.crt was not signed by a CA in ca.crt"},
		"damaged retired":   {func(data map[string][]byte) { data["retired.crt"] = []byte("geheim") }, "retired.crt holds no certificates"},
		"a CA key is spare": {func(data map[string][]byte) { data["ca.key"] = []byte("geheim") }, ""},
		"another CA key":    {func(data map[string][]byte) { data["ca.key"] = made(t, now).pair.key }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := r.data()
			require.NoError(t, err)
			tc.change(data)
			got, err := parse(data)
			if tc.want == "" {
				require.NoError(t, err)
				require.Nil(t, got.signer)
				return
			}
			require.ErrorContains(t, err, tc.want)
			require.NotContains(t, err.Error(), "geheim")
		})
	}
}
