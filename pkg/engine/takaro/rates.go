// SPDX-License-Identifier: Apache-2.0

package takaro

import "golang.org/x/time/rate"

// rates are the limits of requests per second for an endpoint. Each key of the installation has its own limits. All keys
// of one host whose credentials belong to tenants share theirs, so that additional keys do not increase the rate.
type rates struct {
	requests *rate.Limiter
	// comparisons limits the requests for comparisons, see Client.Pace.
	comparisons *rate.Limiter
}

func newRates(o Options) *rates {
	return &rates{requests: rate.NewLimiter(rate.Limit(o.QPS), o.Burst), comparisons: rate.NewLimiter(rate.Limit(o.QPS), 1)}
}

// ratesOf returns the rates of a new endpoint. The caller holds p.mu.
func (p *Pool) ratesOf(host string, own bool) *rates {
	if !own {
		return newRates(p.opts)
	}
	if p.shared[host] == nil {
		p.shared[host] = newRates(p.opts)
	}
	return p.shared[host]
}
