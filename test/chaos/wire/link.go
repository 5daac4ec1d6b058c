// SPDX-License-Identifier: Apache-2.0

// Package wire stands for the network between two programs: a TCP forwarder whose packets can be held back, delayed, or
// whose connections can be cut. It can lead to another server later.
package wire

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// Link is the way to one server.
type Link struct {
	name     string
	listener net.Listener
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	target  string
	latency time.Duration
	// open is closed while packets pass; a new one is made when they are held back.
	open  chan struct{}
	conns map[net.Conn]struct{}
}

// Start opens a way to target ("host:port"), on a free port of 127.0.0.1.
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

// Name says between whom it is.
func (l *Link) Name() string { return l.name }

// Address is the "host:port" at which target is reached.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Hold keeps all packets back from now on, or lets them pass again: as in a network that drops packets, what was sent meanwhile
// arrives then, late, unless its sender has given up.
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

// Delay makes each packet take so much longer from now on.
func (l *Link) Delay(latency time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency = latency
}

// Cut ends all connections; new ones are taken.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
}

// Redirect leads all connections to another target ("host:port") from now on, as a changed DNS record or Service does, and ends
// those to the previous one.
func (l *Link) Redirect(target string) {
	l.mu.Lock()
	l.target = target
	l.mu.Unlock()
	l.Cut()
}

// Stop ends it and returns when nothing runs any more.
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

// track notes a connection, for Cut; what it gives closes it.
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

// await returns when packets may pass, with false when the link was stopped.
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

// carry copies one direction; its end ends the other one.
func (l *Link) carry(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && (!l.delayed() || !l.await() || !written(to, buffer[:n])) {
			return
		}
		if err != nil {
			l.await() // its end is a packet too
			return
		}
	}
}

func written(to net.Conn, data []byte) bool {
	_, err := to.Write(data)
	return err == nil
}

// delayed lets the latency pass, with false when the link was stopped.
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
