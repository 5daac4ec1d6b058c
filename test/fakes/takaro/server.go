// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is one stand-in for Takaro with its own state. It is an http.Handler and can also listen
// by itself (Start). All methods may be called concurrently.
type Server struct {
	opts      Options
	jwtSecret []byte
	mux       *http.ServeMux

	mu         sync.Mutex
	adminToken string
	newID      func(kind, hint string) string
	console    func(serverID, command string) (string, bool)
	state      *state
	databases  databases
	creates    createLoad
	realism    Realism
	rounds     rounds
	log        requestLog
	faults     faultList
	connector  connector

	listener net.Listener
	http     *http.Server
	offset   atomic.Int64 // of the clock, see AdvanceClock
	stopped  context.Context
	stop     context.CancelFunc
}

// New returns a server with empty state. It does not listen until Start is called.
func New(opts Options) *Server {
	opts = opts.withDefaults()
	s := &Server{opts: opts, adminToken: opts.AdminToken, jwtSecret: []byte(randomHex(32)), newID: randomID}
	s.opts.Now = func() time.Time { return opts.Now().Add(time.Duration(s.offset.Load())) }
	s.state = newState(s.timestamp())
	s.SetRealism(opts.Realism)
	s.databases = databases{current: firstDatabase, parked: map[string]*state{}, snapshots: map[string]*state{}}
	s.log.reset()
	s.connector.sessions, s.connector.byServer = map[*session]struct{}{}, map[string]*session{}
	s.connector.counts.Identified, s.connector.counts.Events = map[string]int{}, map[string]int{}
	s.connector.counts.RefusedEvents, s.connector.counts.Lists = map[string]int{}, map[string]ListCount{}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.mux = http.NewServeMux()
	for _, r := range routes() {
		s.mux.HandleFunc(r.method+" "+r.path, s.serveRoute(r))
	}
	s.mux.HandleFunc("/", s.serveRoute(unknownRoute))
	return s
}

// Start listens on Options.Listen, and on Options.ConnectorListen if set, and serves in the
// background until Close. It returns the error of a listener, for example if the port is already in
// use; then neither of them listens.
func (s *Server) Start() error {
	if err := s.startConnector(); err != nil {
		return err
	}
	if err := s.startAPI(); err != nil {
		s.Close()
		return err
	}
	return nil
}

func (s *Server) startAPI() error {
	l, err := net.Listen("tcp", s.opts.Listen)
	if err != nil {
		return fmt.Errorf("takaro stand-in cannot listen on %s: %w", s.opts.Listen, err)
	}
	srv := &http.Server{Handler: s, ErrorLog: serverLog, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return s.stopped }}
	s.mu.Lock()
	s.listener, s.http = l, srv
	s.mu.Unlock()
	serving := secured(&refusingListener{Listener: l, server: s}, s.opts.TLS)
	go func() { _ = srv.Serve(serving) }()
	return nil
}

// URL returns the base URL of a started server, without a trailing slash. It is empty before Start.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return ""
	}
	return scheme("http", s.opts.TLS) + s.listener.Addr().String()
}

// Close stops listening and cuts every open connection. It may be called more than once and without
// Start.
func (s *Server) Close() {
	s.stop()
	s.mu.Lock()
	srv := s.http
	s.mu.Unlock()
	if srv != nil {
		_ = srv.Close()
	}
	s.closeConnector()
}

// AdminToken returns the current value that X-Takaro-Admin-Token requires.
func (s *Server) AdminToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.adminToken
}

// SetAdminToken rotates the admin token: requests with the old one receive a 403 from now on.
func (s *Server) SetAdminToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adminToken = token
}

// OnConsoleCommand sets the function that answers POST /gameserver/:id/command for servers that
// ConnectGameServer connected, with raw result and success. Without it every such command succeeds
// with an empty result. A command for a server with a connection over the connector is sent to that
// server.
func (s *Server) OnConsoleCommand(f func(serverID, command string) (rawResult string, success bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.console = f
}

// timestamp returns the current time in the format of the API: UTC, milliseconds.
func (s *Server) timestamp() string {
	return s.opts.Now().UTC().Format("2006-01-02T15:04:05.000Z")
}

// sleep waits for d or until the server is closed, and reports whether d has passed.
func (s *Server) sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // crypto/rand.Read never fails
	return hex.EncodeToString(b)
}
