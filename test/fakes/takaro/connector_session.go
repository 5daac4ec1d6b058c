// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
)

// writeLimit bounds one write to a game server that does not read.
const writeLimit = 5 * time.Second

// session is one WebSocket. Server.mu guards its identity; the other fields have their own locks.
type session struct {
	conn                         *websocket.Conn
	domainID, identity, serverID string // empty until it has identified
	forgotten                    bool   // by a round of the connector, see Realism.ConnectorSync
	waiting                      map[string]chan json.RawMessage

	writing sync.Mutex
	end     sync.Once
	done    chan struct{} // closed when the connection is abandoned
}

// message is the format of the WebSocket in both directions.
type message struct {
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	RequestID string          `json:"requestId,omitempty"`
}

// send writes one message under the given request id, or under a new one if it is empty. The reader
// detects a broken connection.
func (c *session) send(kind string, payload any, requestID string) {
	if requestID == "" {
		requestID = uuid.NewString()
	}
	raw, err := json.Marshal(payload)
	if err != nil { // cannot happen: payloads are plain structs and maps
		panic(err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(writeLimit))
	_ = c.conn.WriteJSON(message{Type: kind, Payload: raw, RequestID: requestID})
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// serveSession serves one WebSocket until it is closed by either side.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	c := &session{conn: conn, waiting: map[string]chan json.RawMessage{}, done: make(chan struct{})}
	if !s.admitSession(c) {
		_ = conn.Close() // the server is closed: the error has no reader
		return
	}
	defer s.connector.running.Done()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(c)
	}()
	c.send("connected", map[string]string{"clientId": "client-" + uuid.NewString()}, "")
	s.connector.running.Go(func() { s.keepAlive(c) })
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			return
		}
		s.receive(c, raw)
	}
}

// admitSession registers a connection and reports false if the server is closed.
func (s *Server) admitSession(c *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped.Err() != nil {
		return false
	}
	s.connector.running.Add(1)
	s.connector.sessions[c] = struct{}{}
	s.connector.counts.Connections++
	return true
}

// keepAlive closes the connection of a client that has not identified in time, and pings the
// others.
func (s *Server) keepAlive(c *session) {
	identify := time.NewTimer(s.opts.IdentifyTimeout)
	defer identify.Stop()
	ping := time.NewTicker(s.opts.PingInterval)
	defer ping.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-identify.C:
			s.throwOutUnidentified(c)
		case <-ping.C:
			_ = c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeLimit)) // the reader detects a broken connection
		}
	}
}

// throwOutUnidentified closes a connection that has not identified. It reports whether the
// connection is closed.
func (s *Server) throwOutUnidentified(c *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.connector.sessions[c]; !open {
		return true
	}
	if c.serverID != "" {
		return false
	}
	s.connector.counts.ThrownOut++
	s.forget(c)
	return true
}

// receive handles one message of a client.
func (s *Server) receive(c *session, raw []byte) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		c.send("error", map[string]string{"message": "Invalid message format"}, "")
		return
	}
	switch m.Type {
	case "ping":
		c.send("pong", nil, "")
	case "identify":
		s.receiveIdentify(c, m.Payload)
	case "gameEvent":
		if s.throwOutUnidentified(c) {
			return
		}
		s.countEvent(c, m.Payload)
	case "response", "error":
		s.mu.Lock()
		answer := c.waiting[m.RequestID]
		delete(c.waiting, m.RequestID)
		s.mu.Unlock()
		if answer != nil {
			answer <- m.Payload
		}
	}
}

// ask sends a request to the game server of a connection and returns its answer, or false if none
// arrives within Options.RequestTimeout. The caller holds the lock, which this method releases while it
// waits.
func (s *Server) ask(c *session, action string, args any) (json.RawMessage, bool) {
	text, err := json.Marshal(args)
	if err != nil { // cannot happen: arguments are maps of strings
		return nil, false
	}
	requestID, answer := uuid.NewString(), make(chan json.RawMessage, 1)
	c.waiting[requestID] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(c.waiting, requestID)
	}()
	c.send("request", map[string]string{"action": action, "args": string(text)}, requestID)
	late := time.NewTimer(s.opts.RequestTimeout)
	defer late.Stop()
	select {
	case payload := <-answer:
		return payload, true
	case <-late.C:
	case <-c.done:
	}
	return nil, false
}
