// SPDX-License-Identifier: Apache-2.0

package takaro

import "golang.org/x/time/rate"

// rates are the requests per second that an endpoint may be sent. A key of the installation has rates of its own. All
// keys of one host whose credentials belong to tenants share theirs, so that more of them do not get more.
type rates struct {
	requests *rate.Limiter
	// comparisons are the part of the requests that comparisons may take, see Client.Pace.
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
