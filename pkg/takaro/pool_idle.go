// SPDX-License-Identifier: Apache-2.0

package takaro

import "time"

// dropIdle drops clients that were idle for too long, and the least recently used ones above the
// maximum, but never keep and none that is creating a domain. What only they used is dropped with
// them. The caller holds p.mu.
func (p *Pool) dropIdle(now time.Time, keep *Client) {
	for key, c := range p.clients {
		if c != keep && !c.creating() && now.Sub(c.lastUse()) > p.opts.IdleAfter {
			delete(p.clients, key)
		}
	}
	for len(p.clients) > p.opts.MaxClients {
		oldest := ""
		for key, c := range p.clients {
			if c != keep && !c.creating() && (oldest == "" || c.lastUse().Before(p.clients[oldest].lastUse())) {
				oldest = key
			}
		}
		if oldest == "" {
			break
		}
		delete(p.clients, oldest)
	}
	p.dropUnused()
}

// dropUnused forgets connections and endpoints that no client uses any more. The caller holds p.mu.
func (p *Pool) dropUnused() {
	wires, endpoints, hosts := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range p.clients {
		wires[c.wireKey], endpoints[c.endpoint.url], hosts[c.endpoint.host] = true, true, true
	}
	for key, wire := range p.wires {
		if !wires[key] {
			wire.CloseIdleConnections()
			delete(p.wires, key)
		}
	}
	for url, ep := range p.endpoints {
		if endpoints[url] {
			continue
		}
		ep.close()
		delete(p.endpoints, url)
		if !hosts[ep.host] {
			p.metrics.forget(ep.host)
		}
	}
}

// Close drops everything and stops the probes. Calls that are under way end by their own contexts.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	clear(p.clients)
	p.dropUnused()
}
