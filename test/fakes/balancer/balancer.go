// SPDX-License-Identifier: Apache-2.0

package balancer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Options configure a Balancer.
type Options struct {
	// Address is the "host:port" to listen on. Defaults to an available port of 127.0.0.1.
	Address string
	// Probe reports whether a backend ("host:port") is ready, as a readiness probe does. Required.
	Probe func(ctx context.Context, backend string) error
	// Every is the time between two probes of a backend, and the timeout of each. Defaults to one
	// second.
	Every time.Duration
	// Failures is the number of consecutive probes that must fail before a backend receives no more
	// connections. Defaults to one.
	Failures int
}

// Balancer is a running balancer.
type Balancer struct {
	options  Options
	listener net.Listener
	stop     context.CancelFunc
	running  sync.WaitGroup
	ctx      context.Context

	mu       sync.Mutex
	backends []*backend
	next     int
}

// backend is one server of the Service. The balancer's mutex guards it.
type backend struct {
	address     string
	ready       bool
	failures    int
	silent      bool
	connections int
}

// Start listens. The balancer has no backends yet, and closes every connection until one is ready.
func Start(options Options) (*Balancer, error) {
	if options.Probe == nil {
		return nil, errors.New("balancer: Options.Probe is not set")
	}
	if options.Address == "" {
		options.Address = "127.0.0.1:0"
	}
	if options.Every == 0 {
		options.Every = time.Second
	}
	listener, err := net.Listen("tcp", options.Address)
	if err != nil {
		return nil, fmt.Errorf("balancer: %w", err)
	}
	b := &Balancer{options: options, listener: listener}
	b.ctx, b.stop = context.WithCancel(context.Background())
	b.running.Add(1)
	go b.accept()
	return b, nil
}

// Address returns the "host:port" on which the balancer listens.
func (b *Balancer) Address() string { return b.listener.Addr().String() }

// Port returns the port of Address.
func (b *Balancer) Port() string {
	_, port, _ := net.SplitHostPort(b.Address())
	return port
}

// Add adds a backend, which receives connections once its probe passes.
func (b *Balancer) Add(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	added := &backend{address: address}
	b.backends = append(b.backends, added)
	b.running.Add(1)
	go b.watch(added)
}

// Remove removes a backend immediately, as the deletion of its pod does. Its connections stay open.
func (b *Balancer) Remove(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, one := range b.backends {
		if one.address == address {
			b.backends = append(b.backends[:i:i], b.backends[i+1:]...)
			return
		}
	}
}

// Silence drops all packets from and to a backend from now on, or lets them pass again. Dropped
// packets are lost.
func (b *Balancer) Silence(address string, silent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.backends {
		if one.address == address {
			one.silent = silent
		}
	}
}

// Connections returns the number of connections that were passed to each backend.
func (b *Balancer) Connections() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := map[string]int{}
	for _, one := range b.backends {
		counts[one.address] = one.connections
	}
	return counts
}

// Ready returns the backends that receive connections.
func (b *Balancer) Ready() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ready []string
	for _, one := range b.backends {
		if one.ready {
			ready = append(ready, one.address)
		}
	}
	return ready
}

// Stop closes all connections and returns when all goroutines have ended.
func (b *Balancer) Stop() error {
	b.stop()
	err := b.listener.Close()
	b.running.Wait()
	return err
}
