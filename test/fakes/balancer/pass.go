// SPDX-License-Identifier: Apache-2.0

package balancer

import (
	"context"
	"net"
	"sync"
)

func (b *Balancer) accept() {
	defer b.running.Done()
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return // closed
		}
		b.running.Add(1)
		go b.pass(client)
	}
}

// pass forwards one connection until one side ends it.
func (b *Balancer) pass(client net.Conn) {
	defer b.running.Done()
	defer func() { _ = client.Close() }()
	one := b.pick()
	if one == nil {
		return
	}
	if b.silent(one) {
		// A connection to a host that drops packets is never established; the client has to time
		// out.
		hold(b.ctx, client)
		return
	}
	var dialer net.Dialer
	server, err := dialer.DialContext(b.ctx, "tcp", one.address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	closed := context.AfterFunc(b.ctx, func() { _, _ = client.Close(), server.Close() })
	defer closed()
	var both sync.WaitGroup
	both.Go(func() { b.carry(one, client, server) })
	both.Go(func() { b.carry(one, server, client) })
	both.Wait()
}

// carry copies one direction. At its end it ends the other direction too, unless the backend is
// silent: a peer does not learn of the end of a connection whose packets are dropped.
func (b *Balancer) carry(one *backend, from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !b.silent(one) {
			if _, err := to.Write(buffer[:n]); err != nil {
				_ = from.Close()
				return
			}
		}
		if err != nil {
			if !b.silent(one) {
				_ = to.Close()
			}
			return
		}
	}
}

// hold reads and discards data until the client ends the connection.
func hold(ctx context.Context, client net.Conn) {
	closed := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer closed()
	buffer := make([]byte, 4<<10)
	for {
		if _, err := client.Read(buffer); err != nil {
			return
		}
	}
}
