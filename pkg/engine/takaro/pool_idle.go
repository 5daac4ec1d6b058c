// SPDX-License-Identifier: Apache-2.0

package takaro

import "time"

// dropIdle drops clients that were idle for too long, and the least recently used clients above the maximum, those of
// tenants first. It never drops keep or a client that is creating a domain. The caller holds p.mu.
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

// dropsBefore reports whether c is dropped before other if there are too many clients. The clients of the installation
// are kept regardless of how many endpoints tenants name.
func (c *Client) dropsBefore(other *Client) bool {
	if c.endpoint.own != other.endpoint.own {
		return c.endpoint.own
	}
	return c.lastUse().Before(other.lastUse())
}

// drop removes a client, closes its connections and stops its probes. The caller holds p.mu.
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

// dropUnused removes the rates of hosts without credentials of tenants. The caller holds p.mu.
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

// Close drops all clients and stops the probes. Calls in progress end with their own contexts.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for key, c := range p.clients {
		p.drop(key, c)
	}
	p.dropUnused()
}
