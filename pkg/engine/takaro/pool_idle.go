// SPDX-License-Identifier: Apache-2.0

package takaro

import "time"

// dropIdle drops clients that were idle for too long, and the least recently used ones above the
// maximum, those of tenants first. It never drops keep, nor a client that is creating a domain. The
// caller holds p.mu.
func (p *Pool) dropIdle(now time.Time, keep *Client) {
	for key, c := range p.clients {
		if c != keep && !c.creating() && now.Sub(c.lastUse()) > p.opts.IdleAfter {
			p.drop(key, c)
		}
	}
	for len(p.clients) > p.opts.MaxClients {
		var oldest *Client
		for _, c := range p.clients {
			if c != keep && !c.creating() && (oldest == nil || c.dropsBefore(oldest)) {
				oldest = c
			}
		}
		if oldest == nil {
			break
		}
		p.drop(oldest.endpoint.key, oldest)
	}
	p.dropUnused()
}

// dropsBefore reports whether c is dropped before other when there are too many clients. However
// many endpoints tenants name, the installation keeps its own.
func (c *Client) dropsBefore(other *Client) bool {
	if c.endpoint.own != other.endpoint.own {
		return c.endpoint.own
	}
	return c.lastUse().Before(other.lastUse())
}

// drop forgets a client and its connections, and ends its probes. The caller holds p.mu.
func (p *Pool) drop(key Key, c *Client) {
	delete(p.clients, key)
	c.endpoint.close()
	c.wire.CloseIdleConnections()
	for _, other := range p.clients {
		if other.endpoint.label == c.endpoint.label {
			return
		}
	}
	p.metrics.forget(c.endpoint.label)
}

// dropUnused forgets the rates of hosts for which no tenant has credentials any more. The caller
// holds p.mu.
func (p *Pool) dropUnused() {
	used := map[string]bool{}
	for _, c := range p.clients {
		used[c.endpoint.host] = used[c.endpoint.host] || c.endpoint.own
	}
	for host := range p.shared {
		if !used[host] {
			delete(p.shared, host)
		}
	}
}

// Close drops everything and stops the probes. Calls that are in progress end by their own contexts.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for key, c := range p.clients {
		p.drop(key, c)
	}
	p.dropUnused()
}
