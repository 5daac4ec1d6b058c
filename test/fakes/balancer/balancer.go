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

// Options say how backends are looked after.
type Options struct {
	// Address is the "host:port" to listen on. Empty: a free port of 127.0.0.1.
	Address string
	// Probe tells whether a backend ("host:port") is ready, as a readiness probe does. Required.
	Probe func(ctx context.Context, backend string) error
	// Every is the time between two probes of a backend, and the most that one may take. Zero: one second.
	Every time.Duration
	// Failures is how many probes in a row must fail before a backend gets no more connections. Zero: one.
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

// backend is one of the servers behind the Service. The balancer's mutex guards it.
type backend struct {
	address     string
	ready       bool
	failures    int
	silent      bool
	connections int
}

// Start listens. The balancer has no backend yet, and refuses connections by closing them until one is ready.
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

// Address is the "host:port" on which it listens.
func (b *Balancer) Address() string { return b.listener.Addr().String() }

// Port is the port of Address.
func (b *Balancer) Port() string {
	_, port, _ := net.SplitHostPort(b.Address())
	return port
}

// Add adds a backend, which gets connections once its probe passes.
func (b *Balancer) Add(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	added := &backend{address: address}
	b.backends = append(b.backends, added)
	b.running.Add(1)
	go b.watch(added)
}

// Remove takes a backend out at once, as the deletion of its pod does. Its connections live on.
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

// Silence drops all packets from and to a backend from now on, or lets them pass again. What was dropped is lost.
func (b *Balancer) Silence(address string, silent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.backends {
		if one.address == address {
			one.silent = silent
		}
	}
}

// Connections tells how many connections each backend has been given.
func (b *Balancer) Connections() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts := map[string]int{}
	for _, one := range b.backends {
		counts[one.address] = one.connections
	}
	return counts
}

// Ready lists the backends that get connections.
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

// Stop closes all connections and returns when nothing runs any more.
func (b *Balancer) Stop() error {
	b.stop()
	err := b.listener.Close()
	b.running.Wait()
	return err
}
