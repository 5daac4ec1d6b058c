// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Endpoint is a Takaro installation and the credentials for it.
type Endpoint struct {
	URL        string // of the API, without a path unless a proxy adds one
	AdminToken Secret
	CABundle   []byte // PEM; nil means the system's roots
	// Own is set if a tenant supplied the credentials, not the installation.
	Own bool
}

// Pool creates and caches clients: one for each Key, with separate connections, rate, circuit and tokens.
type Pool struct {
	opts    Options
	metrics *metrics
	budgets budgets
	memory  memory

	mu        sync.Mutex
	closed    bool
	clients   map[Key]*Client
	shared    map[string]*rates // of the tenants' credentials, by host
	lastSweep time.Time
	nextSub   int
	subs      map[int]func(Key)
}

// NewPool returns a pool; close it with Close. It panics if a different metric is registered under one of its names,
// which is a programming error.
func NewPool(o Options) *Pool {
	o = o.withDefaults()
	return &Pool{
		opts: o, metrics: newMetrics(o.Registerer), budgets: defaultBudgets(), memory: newMemory(),
		clients: map[Key]*Client{}, shared: map[string]*rates{}, subs: map[int]func(Key){},
	}
}

// Client returns the client of e. Calls with the same Key return the same client. Errors (an *InputError) are about e:
// its URL, an empty token, or a CA bundle without a certificate. Call it for each use and do not keep the result,
// because the pool drops idle clients.
func (p *Pool) Client(e Endpoint) (*Client, error) {
	base, err := NormalizeURL(e.URL)
	if err != nil {
		return nil, &InputError{Message: err.Error()}
	}
	if err := checkToken(e.AdminToken.Reveal()); err != nil {
		return nil, err
	}
	key := e.Key()

	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("pool of Takaro clients is closed: the program is shutting down")
	}
	now := p.opts.Clock.Now()
	c, isNew := p.clients[key], false
	if c == nil {
		if c, err = p.newClient(key, base, e); err != nil {
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

func (p *Pool) newClient(key Key, base string, e Endpoint) (*Client, error) {
	wire, err := newWire(p.opts, e.CABundle)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, &InputError{Message: "the Takaro URL cannot be parsed"}
	}
	c := &Client{
		endpoint: p.newEndpoint(key, base, u.Host, e.Own), wire: wire, adminToken: e.AdminToken,
		tokens: newTokenCache(p.opts.Clock, p.opts.TokenHold), creates: make(chan struct{}, createSlots), used: &atomic.Int64{},
	}
	c.endpoint.prober = c
	return c, nil
}

// OnCircuitClosed calls f with the key each time a circuit closes, until cancel is called. f runs on the prober's
// goroutine and must not block. A circuit may close before a rejected caller has recorded that it waits, so callers must
// also retry after some time. f is also called if the pool drops an endpoint whose circuit is open, because its next
// client has a closed circuit.
func (p *Pool) OnCircuitClosed(f func(Key)) (cancel func()) {
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

func (p *Pool) notifyClosed(key Key) {
	p.mu.Lock()
	subs := make([]func(Key), 0, len(p.subs))
	for _, f := range p.subs {
		subs = append(subs, f)
	}
	p.mu.Unlock()
	for _, f := range subs {
		f(key)
	}
}
