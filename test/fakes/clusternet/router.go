// SPDX-License-Identifier: Apache-2.0

package clusternet

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
)

// dialLimit is short because connections on loopback succeed or fail immediately.
const dialLimit = 2 * time.Second

var errNotConnected = errors.New("the network does not know the cluster yet")

// router selects endpoints and tracks open connections.
type router struct {
	turn  atomic.Uint64
	pipes sync.WaitGroup

	mu       sync.Mutex
	services corelisters.ServiceLister
	slices   discoverylisters.EndpointSliceLister
	open     map[net.Conn]bool
	closed   bool
}

func (r *router) follow(services corelisters.ServiceLister, slices discoverylisters.EndpointSliceLister) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.services, r.slices = services, slices
}

// next returns the endpoint for the next connection to address, in round-robin order.
func (r *router) next(address string) (string, error) {
	r.mu.Lock()
	services, slices := r.services, r.slices
	r.mu.Unlock()
	if services == nil {
		return "", errNotConnected
	}
	s, err := services.List(labels.Everything())
	if err != nil {
		return "", err
	}
	e, err := slices.List(labels.Everything())
	if err != nil {
		return "", err
	}
	all, err := endpoints(address, s, e)
	if err != nil {
		return "", err
	}
	return all[r.turn.Add(1)%uint64(len(all))], nil
}

// dial connects to an endpoint of address.
func (n *Network) dial(ctx context.Context, address string) (net.Conn, error) {
	endpoint, err := n.routes.next(address)
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(endpoint)
	if err != nil {
		return nil, err
	}
	// A host name can only be that of a Service of type ExternalName; tests use no other than
	// localhost.
	if host != "localhost" {
		if host, err = n.Address(host); err != nil {
			return nil, err
		}
	}
	dialer := net.Dialer{Timeout: dialLimit}
	return dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
}

// pipe copies bytes in both directions in the background until either side ends.
func (r *router) pipe(client, server net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		_, _ = client.Close(), server.Close()
		return
	}
	if r.open == nil {
		r.open = map[net.Conn]bool{}
	}
	r.open[client], r.open[server] = true, true
	end := sync.OnceFunc(func() {
		_, _ = client.Close(), server.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, client)
		delete(r.open, server)
	})
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		r.pipes.Go(func() {
			defer end()
			_, _ = io.Copy(way[1], way[0])
		})
	}
}

// close ends all connections and returns when their goroutines have ended.
func (r *router) close() {
	r.mu.Lock()
	r.closed = true
	for conn := range r.open {
		_ = conn.Close()
	}
	r.mu.Unlock()
	r.pipes.Wait()
}
