// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"
)

// connector is the WebSocket side: game servers connect, identify themselves, and then receive
// requests. Server.mu guards all fields except the listener, which is set once.
type connector struct {
	listener net.Listener
	http     *http.Server
	running  sync.WaitGroup
	sessions map[*session]struct{}
	byServer map[string]*session // by game server id: the session that identified last
	counts   ConnectorCounts
}

// ConnectorCounts counts what the connector received since the start.
type ConnectorCounts struct {
	Connections int // WebSockets opened
	Refused     int // identify messages answered with an error
	ThrownOut   int // WebSockets closed because they did not identify
	// Identified and Events count successful identifications and game events by identity token.
	Identified, Events map[string]int
	// RefusedEvents counts, by identity token, events of game servers that the connector has
	// forgotten.
	RefusedEvents map[string]int
	// Lists counts answers by action. It is filled only with Realism.ListArrays.
	Lists map[string]ListCount
}

// ConnectorCounts returns a copy of the counts. All counts are zero without
// Options.ConnectorListen.
func (s *Server) ConnectorCounts() ConnectorCounts {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.connector.counts
	out.Identified, out.Events = maps.Clone(out.Identified), maps.Clone(out.Events)
	out.RefusedEvents, out.Lists = maps.Clone(out.RefusedEvents), maps.Clone(out.Lists)
	return out
}

// ConnectorURL returns the URL that game servers connect to, as ws://host:port or wss://host:port.
// It is empty before Start and without Options.ConnectorListen.
func (s *Server) ConnectorURL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connector.listener == nil {
		return ""
	}
	return scheme("ws", s.opts.ConnectorTLS) + s.connector.listener.Addr().String()
}

// startConnector listens for WebSockets and starts the worker that updates reachable.
func (s *Server) startConnector() error {
	if s.opts.ConnectorListen == "" {
		return nil
	}
	l, err := net.Listen("tcp", s.opts.ConnectorListen)
	if err != nil {
		return fmt.Errorf("the connector of the takaro stand-in cannot listen on %s: %w", s.opts.ConnectorListen, err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(s.serveSession), ErrorLog: serverLog, ReadHeaderTimeout: 10 * time.Second}
	s.mu.Lock()
	s.connector.listener, s.connector.http = l, srv
	s.mu.Unlock()
	serving := secured(&connectorListener{Listener: l, server: s}, s.opts.ConnectorTLS)
	s.connector.running.Go(func() { _ = srv.Serve(serving) })
	s.connector.running.Go(s.watchReachable)
	return nil
}

// closeConnector ends all connections and waits for their goroutines.
func (s *Server) closeConnector() {
	s.mu.Lock()
	srv := s.connector.http
	s.dropSessions(func(*session) bool { return true })
	s.mu.Unlock()
	if srv != nil {
		_ = srv.Close() // does not close hijacked WebSockets: they were closed above
	}
	s.connector.running.Wait()
}

// watchReachable is Takaro's worker: once per interval it sets reachable from the connections.
// Until then a record with a lost connection, or one that never had a connection, stays reachable.
func (s *Server) watchReachable() {
	for s.sleep(s.stopped, s.opts.ReachableInterval) {
		s.mu.Lock()
		s.catchUp()
		for _, d := range s.state.domains {
			for _, g := range d.servers {
				if g.enabled && g.reachable != g.connected {
					g.reachable, g.updated = g.connected, s.timestamp()
				}
			}
		}
		s.mu.Unlock()
	}
}

// DropConnections cuts, without a close message, the connections of one domain (its id) or of one
// game server (its identity token). An empty text cuts all of them, including those that have not
// identified. It returns the number of connections.
func (s *Server) DropConnections(domainOrIdentity string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropSessions(func(c *session) bool {
		return domainOrIdentity == "" || c.serverID != "" && (c.domainID == domainOrIdentity || c.identity == domainOrIdentity)
	})
}

// dropSessions closes the connections that match. The caller holds the lock.
func (s *Server) dropSessions(match func(*session) bool) int {
	n := 0
	for c := range s.connector.sessions {
		if match(c) {
			s.forget(c)
			n++
		}
	}
	return n
}

// forget closes a connection and removes it from its game server, unless a later connection has
// replaced it there.
func (s *Server) forget(c *session) {
	delete(s.connector.sessions, c)
	c.end.Do(func() { close(c.done) })
	_ = c.conn.NetConn().Close() // an error of Close has no effect: the connection is abandoned
	if c.serverID == "" || s.connector.byServer[c.serverID] != c {
		return
	}
	delete(s.connector.byServer, c.serverID)
	if d := s.state.domains[c.domainID]; d != nil && d.servers[c.serverID] != nil {
		d.servers[c.serverID].connected = false
	}
}

// connectorListener closes accepted connections while a FaultConnectorRefuse is active.
type connectorListener struct {
	net.Listener
	server *Server
}

// Accept returns the next connection that is not refused.
func (l *connectorListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || !l.server.takeFault(FaultConnectorRefuse) {
			return c, err
		}
		_ = c.Close() // an error of Close has no effect: the connection is refused
	}
}
