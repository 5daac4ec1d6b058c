// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"sync"
)

// endpoint is the state of one key, which all copies of its client share.
type endpoint struct {
	pool *Pool
	key  Key
	own  bool
	url  string // normalized
	host string // host and port
	// label is the endpoint label in metrics, see Pool.labelOf.
	label   string
	rates   *rates
	limiter *limiter
	breaker *breaker
	// prober is the client that sends probes while the circuit is open.
	prober *Client

	stop     chan struct{} // closed when the pool drops the endpoint
	stopOnce sync.Once
}

// newEndpoint returns the state of a new key. The caller holds p.mu.
func (p *Pool) newEndpoint(key Key, url, host string, own bool) *endpoint {
	o := p.opts
	e := &endpoint{
		pool: p, key: key, own: own, url: url, host: host, label: p.labelOf(host, own), rates: p.ratesOf(host, own),
		breaker: &breaker{clock: o.Clock, host: host, threshold: o.FailureThreshold, interval: o.ProbeInterval},
		stop:    make(chan struct{}),
	}
	e.limiter = &limiter{clock: o.Clock, host: host, maxWait: o.Timeout, bucket: e.rates.requests}
	return e
}

// record passes the outcome to the breaker and starts probing if the circuit opens.
func (e *endpoint) record(o outcome) {
	if e.breaker.record(o) {
		e.pool.metrics.circuitOpened(e)
		go e.probeUntilClosed()
	}
}

// probeUntilClosed sends one request per interval until the endpoint responds, and then notifies the waiting callers. It
// also notifies them if the endpoint is dropped, because their next call has a closed circuit.
func (e *endpoint) probeUntilClosed() {
	defer e.pool.notifyClosed(e.key)
	defer e.pool.metrics.circuitClosed(e)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-e.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		_, until := e.breaker.state()
		if sleep(ctx, e.pool.opts.Clock, max(until.Sub(e.pool.opts.Clock.Now()), e.limiter.pauseLeft())) != nil {
			return
		}
		c := e.prober
		answer := e.share()
		_, o, err := c.exchange(ctx, adminProbe(), []byte(`{"limit":1}`), c.adminToken, answer)
		answer.release()
		if ctx.Err() != nil || e.breaker.recordProbe(o, err) {
			return
		}
	}
}

func (e *endpoint) close() { e.stopOnce.Do(func() { close(e.stop) }) }

func (e *endpoint) dropped() bool {
	select {
	case <-e.stop:
		return true
	default:
		return false
	}
}

// adminProbe returns the cheapest call that requires Takaro, its database and the admin token: Takaro's health checks
// report "healthy" even if nothing behind them works.
func adminProbe() call {
	return call{method: http.MethodPost, pattern: "/domain/search", auth: adminAuth, idempotent: true, reads: true}
}
