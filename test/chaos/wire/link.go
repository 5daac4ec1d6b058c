// SPDX-License-Identifier: Apache-2.0

// Package wire simulates the network between two programs: a TCP forwarder that can hold back or
// delay packets and cut connections. It can be redirected to another server.
package wire

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Link is the connection to one server.
type Link struct {
	name     string
	listener net.Listener
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	target  string
	latency time.Duration
	// open is closed while packets pass. It is replaced when they are held back.
	open  chan struct{}
	conns map[net.Conn]struct{}
}

// Start opens a link to target ("host:port") on an available port of 127.0.0.1.
func Start(name, target string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	l := &Link{name: name, target: target, listener: listener, open: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(l.open)
	l.ctx, l.stop = context.WithCancel(context.Background())
	l.running.Go(l.accept)
	return l, nil
}

// Name returns the name of the link, which names both programs.
func (l *Link) Name() string { return l.name }

// Address returns the "host:port" at which target is reached.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Hold holds back all packets from now on, or lets them pass again. As in a network that drops
// packets, data that was sent in the meantime then arrives late, unless its sender has given up.
func (l *Link) Hold(held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.open:
		if held {
			l.open = make(chan struct{})
		}
	default:
		if !held {
			close(l.open)
		}
	}
}

// Delay delays each packet from now on.
func (l *Link) Delay(latency time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency = latency
}

// Cut ends all connections. New ones are accepted.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
}

// Redirect leads all connections to another target ("host:port") from now on, as a changed DNS
// record or Service does, and ends those to the previous one.
func (l *Link) Redirect(target string) {
	l.mu.Lock()
	l.target = target
	l.mu.Unlock()
	l.Cut()
}

// Stop stops the link and returns when its goroutines have ended.
func (l *Link) Stop() error {
	l.stop()
	err := l.listener.Close()
	l.Cut()
	l.running.Wait()
	return err
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return // closed
		}
		l.running.Go(func() { l.pass(client) })
	}
}

func (l *Link) pass(client net.Conn) {
	defer l.track(client)()
	if !l.await() {
		return
	}
	target := l.leadsTo()
	var dialer net.Dialer
	server, err := dialer.DialContext(l.ctx, "tcp", target)
	if err != nil {
		return
	}
	defer l.track(server)()
	// Redirect ended the tracked connections before this one was tracked.
	if target != l.leadsTo() {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.carry(client, server) })
	both.Go(func() { l.carry(server, client) })
	both.Wait()
}

func (l *Link) leadsTo() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.target
}

// track registers a connection for Cut. The returned function closes it.
func (l *Link) track(conn net.Conn) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[conn] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, conn)
		_ = conn.Close()
	}
}

// await waits until packets may pass. It returns false if the link was stopped.
func (l *Link) await() bool {
	l.mu.Lock()
	open := l.open
	l.mu.Unlock()
	select {
	case <-open:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// carry copies one direction. Its end ends the other one.
func (l *Link) carry(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && (!l.delayed() || !l.await() || !written(to, buffer[:n])) {
			return
		}
		if err != nil {
			l.await() // the end of the connection is delayed like a packet
			return
		}
	}
}

func written(to net.Conn, data []byte) bool {
	_, err := to.Write(data)
	return err == nil
}

// delayed waits for the latency. It returns false if the link was stopped.
func (l *Link) delayed() bool {
	l.mu.Lock()
	latency := l.latency
	l.mu.Unlock()
	if latency == 0 {
		return true
	}
	timer := time.NewTimer(latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.ctx.Done():
		return false
	}
}
