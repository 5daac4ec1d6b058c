// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// endpoint is what all clients of one URL share.
type endpoint struct {
	pool    *Pool
	url     string // normalized
	host    string // host and port: the metrics' label
	limiter *limiter
	breaker *breaker
	// pace is the part of the rate that comparisons may take, see Client.Pace.
	pace *rate.Limiter
	// prober is the client that was used last: its token is the likeliest to be right.
	prober atomic.Pointer[Client]

	stop     chan struct{} // closed when the pool drops the endpoint
	stopOnce sync.Once
}

func newEndpoint(p *Pool, url, host string) *endpoint {
	o := p.opts
	return &endpoint{
		pool: p, url: url, host: host, stop: make(chan struct{}),
		limiter: &limiter{clock: o.Clock, host: host, maxWait: o.Timeout, bucket: rate.NewLimiter(rate.Limit(o.QPS), o.Burst)},
		breaker: &breaker{clock: o.Clock, host: host, threshold: o.FailureThreshold, interval: o.ProbeInterval},
		pace:    rate.NewLimiter(rate.Limit(o.QPS), 1),
	}
}

// record tells the breaker and starts probing when the circuit opens.
func (e *endpoint) record(o outcome) {
	if e.breaker.record(o) {
		e.pool.metrics.circuitOpen.WithLabelValues(e.host).Set(1)
		go e.probeUntilClosed()
	}
}

// probeUntilClosed asks the endpoint once an interval until it answers, then wakes who waits for it. It also
// wakes them when the endpoint is dropped: their next call starts afresh.
func (e *endpoint) probeUntilClosed() {
	defer e.pool.notifyClosed(e.url)
	defer e.clearGauge()
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
		if sleep(ctx, e.pool.opts.Clock, until.Sub(e.pool.opts.Clock.Now())) != nil {
			return
		}
		c := e.prober.Load()
		_, o, _ := c.exchange(ctx, adminProbe(), []byte(`{"limit":1}`), c.adminToken)
		if ctx.Err() != nil || e.breaker.recordProbe(o) {
			return
		}
	}
}

// clearGauge leaves no series behind for an endpoint that was dropped.
func (e *endpoint) clearGauge() {
	select {
	case <-e.stop:
		e.pool.metrics.circuitOpen.DeleteLabelValues(e.host)
	default:
		e.pool.metrics.circuitOpen.WithLabelValues(e.host).Set(0)
	}
}

func (e *endpoint) close() { e.stopOnce.Do(func() { close(e.stop) }) }

// adminProbe is the cheapest call that needs Takaro, its database and the admin token: health checks of Takaro
// say "healthy" even when nothing behind them works.
func adminProbe() call {
	return call{method: http.MethodPost, pattern: "/domain/search", auth: adminAuth, idempotent: true, reads: true}
}
