// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
)

// listActions are the requests to a game server whose answers must be arrays.
var listActions = []string{"listItems", "listEntities", "listBans", "getPlayers"}

// ListCount counts the answers of game servers to the requests of one list.
type ListCount struct {
	Arrays     int
	Refused    int // not an array: Takaro answers 400
	Unanswered int // no answer within Options.RequestTimeout
}

// SyncConnector runs the round of Realism.ConnectorSync now, even if the switch is off, and returns
// how many game servers the connector forgot. With unreadable it cannot fetch any list.
func (s *Server) SyncConnector(unreadable bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.syncConnector(unreadable)
}

func (s *Server) syncConnector(unreadable bool) (n int) {
	for c := range s.connector.sessions {
		if c.serverID == "" || c.forgotten || !unreadable && s.listed(c) {
			continue
		}
		c.forgotten = true
		n++
	}
	return n
}

// listed reports whether the connector finds the game server of a session in the lists that it
// fetches. That needs a token, which a domain without a root user does not have.
func (s *Server) listed(c *session) bool {
	d := s.state.domains[c.domainID]
	if d == nil || d.state != StateActive || d.root() == nil {
		return false
	}
	g := d.servers[c.serverID]
	return g != nil && g.enabled && g.reachable
}

// hideLists reports whether a fault keeps the connector from fetching its lists. It does not use up
// any fault.
func (l *faultList) hideLists() bool {
	return slices.ContainsFunc(l.list, func(f Fault) bool {
		switch f.Kind {
		case FaultDown, FaultTokenRevoked:
			return true
		case FaultTooMany, FaultErrorBefore, FaultErrorAfter, FaultCutBefore, FaultCutAfter, FaultBadGateway:
			return (f.Method == "" || f.Method == http.MethodPost) && slices.ContainsFunc([]string{"/domain/search", "/token", "/gameserver/search"},
				func(path string) bool { return matchPath(f.Path, path) })
		}
		return false
	})
}

// countEvent counts an event of an identified game server, and stores it if Takaro would.
func (s *Server) countEvent(c *session, payload json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	if c.forgotten {
		s.connector.counts.RefusedEvents[c.identity]++
		return
	}
	s.connector.counts.Events[c.identity]++
	if d, name := s.state.domains[c.domainID], eventName(payload); d != nil && name != "" {
		s.storeEvent(d, c.serverID, name)
	}
}

// requestLists requests every list of a game server once and counts the answers.
func (s *Server) requestLists(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, action := range listActions {
		raw, answered := s.ask(c, action, struct{}{})
		count := s.connector.counts.Lists[action]
		switch {
		case !answered:
			count.Unanswered++
		case isArray(raw):
			count.Arrays++
		default:
			count.Refused++
		}
		s.connector.counts.Lists[action] = count
	}
}

func isArray(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("["))
}
