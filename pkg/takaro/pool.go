// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Endpoint says which Takaro to talk to and as whom.
type Endpoint struct {
	URL        string // of the API, without a path unless a proxy adds one
	AdminToken Secret
	CABundle   []byte // PEM; nil means the system's roots
}

// Pool makes clients and keeps them. Rate limit and circuit belong to a URL, connections to URL and CA, cached
// domain tokens to the whole Endpoint; so a new token or CA neither resets nor doubles what the URL may get.
type Pool struct {
	opts    Options
	metrics *metrics

	mu        sync.Mutex
	closed    bool
	endpoints map[string]*endpoint
	wires     map[string]*http.Client
	clients   map[string]*Client
	lastSweep time.Time
	nextSub   int
	subs      map[int]func(url string)
}

// NewPool makes a pool; Close ends it. It panics when a metric of another shape is registered under one of
// its names, which is an error of the program.
func NewPool(o Options) *Pool {
	o = o.withDefaults()
	return &Pool{
		opts: o, metrics: newMetrics(o.Registerer),
		endpoints: map[string]*endpoint{}, wires: map[string]*http.Client{}, clients: map[string]*Client{},
		subs: map[int]func(string){},
	}
}

// Client gives the client of e: the same one for the same e, made at the first call. Errors (an *InputError)
// are about e itself: its URL, an empty token, a CA bundle without a certificate. Ask for it at each use and
// do not keep it: the pool drops clients that are idle.
func (p *Pool) Client(e Endpoint) (*Client, error) {
	base, err := NormalizeURL(e.URL)
	if err != nil {
		return nil, &InputError{Message: err.Error()}
	}
	if err := checkToken(e.AdminToken.Reveal()); err != nil {
		return nil, err
	}
	wireKey := fingerprint([]byte(base), e.CABundle)
	key := fingerprint([]byte(base), e.CABundle, []byte(e.AdminToken.Reveal()))

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("the pool of Takaro clients is closed: the program is shutting down")
	}
	now := p.opts.Clock.Now()
	c, isNew := p.clients[key], false
	if c == nil {
		if c, err = p.newClient(base, wireKey, e); err != nil {
			return nil, err
		}
		p.clients[key], isNew = c, true
	}
	c.touch(now)
	if isNew || now.Sub(p.lastSweep) >= sweepInterval {
		p.lastSweep = now
		p.dropIdle(now, c)
	}
	return c, nil
}

func (p *Pool) newClient(base, wireKey string, e Endpoint) (*Client, error) {
	wire := p.wires[wireKey]
	if wire == nil {
		var err error
		if wire, err = newWire(p.opts, e.CABundle); err != nil {
			return nil, err
		}
		p.wires[wireKey] = wire
	}
	ep := p.endpoints[base]
	if ep == nil {
		u, err := url.Parse(base)
		if err != nil {
			return nil, &InputError{Message: "the Takaro URL cannot be parsed"}
		}
		ep = newEndpoint(p, base, u.Host)
		p.endpoints[base] = ep
	}
	c := &Client{
		endpoint: ep, wire: wire, wireKey: wireKey, adminToken: e.AdminToken,
		creates: make(chan struct{}, createSlots), used: &atomic.Int64{},
	}
	c.tokens = newTokenCache(p.opts.Clock)
	ep.prober.CompareAndSwap(nil, c)
	return c, nil
}

// CircuitOpen tells whether the circuit of a URL is open, and when it is probed next. A URL that is not known
// or not valid has a closed one.
func (p *Pool) CircuitOpen(rawURL string) (open bool, until time.Time) {
	base, err := NormalizeURL(rawURL)
	if err != nil {
		return false, time.Time{}
	}
	p.mu.Lock()
	ep := p.endpoints[base]
	p.mu.Unlock()
	if ep == nil {
		return false, time.Time{}
	}
	return ep.breaker.state()
}

// OnCircuitClosed calls f with the normalized URL each time a circuit closes, until cancel is called. f runs
// on the prober's goroutine: it must not block. A circuit may close before a caller that was refused has noted down
// that it waits: note first, then ask CircuitOpen. f is also called when the pool drops an endpoint whose circuit is
// open, so that nobody waits for a probe that never comes.
func (p *Pool) OnCircuitClosed(f func(url string)) (cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := p.nextSub
	p.nextSub++
	p.subs[id] = f
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.subs, id)
	}
}

func (p *Pool) notifyClosed(url string) {
	p.mu.Lock()
	subs := make([]func(string), 0, len(p.subs))
	for _, f := range p.subs {
		subs = append(subs, f)
	}
	p.mu.Unlock()
	for _, f := range subs {
		f(url)
	}
}

// fingerprint is a key that holds no part of a secret. Parts are length-prefixed so that no two lists collide.
func fingerprint(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
