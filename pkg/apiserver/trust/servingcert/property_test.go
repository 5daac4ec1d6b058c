// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"crypto/x509"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// world is an installation of several replicas, played with the pure functions: the Secret, one APIService, and the
// aggregation layer, which follows the APIService with some delay.
type world struct {
	t          *rapid.T
	now        time.Time
	secret     map[string][]byte // nil: none
	stored     *record           // the content of the Secret; nil if it is damaged
	apiService []*x509.Certificate
	aggregator []*x509.Certificate
	replicas   []*replica
	leader     int
}

type replica struct {
	served *record
	seen   *record
	trust  *trust
}

// set changes the Secret.
func (w *world) set(data map[string][]byte) {
	w.secret = data
	w.stored, _ = parse(data)
}

func (w *world) observe(r *replica) observation {
	return observation{stored: w.stored, served: r.served, seen: r.seen, trust: r.trust, hosts: hosts, now: w.now}
}

func (w *world) write(r *record) {
	data, err := r.data()
	require.NoError(w.t, err)
	w.set(data)
}

// look does the same as the method of the keeper.
func (w *world) look(index int) {
	r := w.replicas[index]
	r.trust = r.trust.observed([][]*x509.Certificate{w.apiService}, w.now)
	o := w.observe(r)
	if follow(o) || o.stored != nil && o.stored.leaf().Equal(o.served.leaf()) {
		r.served = o.stored
		o = w.observe(r)
	}
	if o.whole() {
		r.seen = o.stored
	}
	if index != w.leader {
		return
	}
	o = w.observe(r)
	s := decide(o)
	if s != keep {
		next, err := perform(s, o)
		require.NoError(w.t, err)
		w.write(next)
		r.seen = w.stored
	}
	if s != create && s != restore && s != remember {
		w.apiService = o.stored.cas
	}
}

// invariant checks that the aggregation layer trusts the certificate of each replica.
func (w *world) invariant() {
	for i, r := range w.replicas {
		require.NoError(w.t, verify(w.aggregator, r.served.leaf(), r.served.chain[1:], w.now), "replica %d at %s", i, w.now)
	}
}

// play runs several checks, during which every kube-apiserver observes the APIService in time.
func (w *world) play(rounds int) {
	lag := 0
	for range rounds {
		w.now = w.now.Add(lookEvery)
		for _, index := range rapid.Permutation([]int{0, 1, 2}).Draw(w.t, "order") {
			// Not every replica checks at the same time.
			if rapid.IntRange(0, 3).Draw(w.t, "looks") > 0 {
				w.look(index)
			}
		}
		w.invariant()
		lag++
		if lag >= 3 || rapid.Bool().Draw(w.t, "synced") {
			w.aggregator, lag = w.apiService, 0
		}
		w.invariant()
	}
}

// rounds is the number of rounds after which every change is complete.
const rounds = 16

func TestWhatIsServedIsAlwaysTrusted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first, err := perform(create, observation{hosts: hosts, now: now})
		require.NoError(t, err)
		w := &world{t: t, now: now, apiService: first.cas, aggregator: first.cas}
		w.write(first)
		for range 3 {
			w.replicas = append(w.replicas, &replica{served: first})
		}
		w.play(1)
		for range rapid.IntRange(1, 8).Draw(t, "events") {
			switch rapid.SampledFrom([]string{"months", "delete", "damage", "lose the CA's key", "foreign", "leader", "restart"}).Draw(t, "event") {
			case "months":
				w.now = w.now.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "days")) * 24 * time.Hour)
			case "delete":
				w.set(nil)
			case "damage":
				w.set(map[string][]byte{"tls.crt": []byte("damaged")})
			case "lose the CA's key":
				data := maps.Clone(w.secret)
				delete(data, caPrivateKey)
				w.set(data)
			case "foreign":
				foreign, err := perform(create, observation{hosts: hosts, now: w.now})
				require.NoError(t, err)
				w.write(foreign)
			case "leader":
				w.leader = rapid.IntRange(0, 2).Draw(t, "leader")
			case "restart":
				// A new process uses the content of the Secret, which is trusted when the Secret no
				// longer changes.
				w.play(rounds)
				w.replicas[rapid.IntRange(0, 2).Draw(t, "replica")] = &replica{served: w.stored}
			}
			w.play(rounds)
		}
		require.NotNil(t, w.stored, "the Secret is whole again")
		for _, r := range w.replicas {
			require.False(t, due(r.served.leaf(), w.now), "and what is served was renewed in time")
		}
	})
}
