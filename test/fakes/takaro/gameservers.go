// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
)

func createGameServer(s *Server, r *request) reply {
	var identity *string
	if token, given := r.body["identityToken"].(string); given {
		identity = &token
	}
	g, e := s.insertGameServer(r.domain, r.body["name"].(string), r.body["type"].(string), identity, r.body["connectionInfo"].(string))
	if e != nil {
		return fail(e)
	}
	return ok(g.view(false))
}

// insertGameServer creates a record. As in Takaro, reachable is true until the first check.
func (s *Server) insertGameServer(d *domain, name, kind string, identity *string, info string) (*gameServer, *apiError) {
	if len(d.servers) >= d.limits["maxGameservers"] {
		return nil, badRequest("Max game servers reached")
	}
	if d.serverNamed(name) != nil {
		return nil, conflict()
	}
	now := s.timestamp()
	g := &gameServer{id: s.newID(kindGameServer, name), name: name, kind: kind, identityToken: identity, reachable: true, enabled: true,
		created: now, updated: now}
	g.setInfo(info)
	d.servers[g.id] = g
	return g, nil
}

// setInfo stores the connection info and the form in which a search shows it: bytes that look like
// an OpenPGP message.
func (g *gameServer) setInfo(info string) {
	g.info = map[string]any{}
	_ = json.Unmarshal([]byte(info), &g.info) // JSON that is not an object stays empty
	noise := make([]byte, 60+len(info))
	_, _ = rand.Read(noise) // crypto/rand.Read never fails
	g.sealed = []int{195, 13, 4, 7, 3, 2}
	for _, b := range noise {
		g.sealed = append(g.sealed, int(b))
	}
}

// serverNamed returns the game server that has the name, including a soft-deleted one, or nil if
// the name is available.
func (d *domain) serverNamed(name string) *gameServer {
	for _, servers := range []map[string]*gameServer{d.servers, d.deleted} {
		for _, g := range servers {
			if g.name == name {
				return g
			}
		}
	}
	return nil
}

func searchGameServers(_ *Server, r *request) reply {
	found, total, e := find(slices.Collect(maps.Values(r.domain.servers)), r)
	if e != nil {
		return fail(e)
	}
	views := make([]gameServerView, 0, len(found))
	for _, g := range found {
		views = append(views, g.view(true))
	}
	return okPage(views, r.page, total)
}

func withGameServer(r *request, f func(g *gameServer) reply) reply {
	g := r.domain.servers[r.param("id")]
	if g == nil {
		return fail(notFound())
	}
	return f(g)
}

func getGameServer(_ *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply { return ok(g.view(false)) })
}

func updateGameServer(s *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply {
		name := r.body["name"].(string)
		if other := r.domain.serverNamed(name); other != nil && other != g {
			return fail(conflict())
		}
		g.name, g.kind, g.updated = name, r.body["type"].(string), s.timestamp()
		g.setInfo(r.body["connectionInfo"].(string))
		if reachable, given := r.body["reachable"].(bool); given {
			g.reachable = reachable
		}
		if enabled, given := r.body["enabled"].(bool); given {
			g.enabled = enabled
		}
		return ok(g.view(false))
	})
}

func deleteGameServer(s *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply {
		if s.realism.SoftDelete {
			s.softDelete(r.domain, g)
			return ok(nil)
		}
		s.dropSessions(func(c *session) bool { return c.serverID == g.id })
		delete(r.domain.servers, g.id)
		return ok(nil)
	})
}

// regenerateRegistrationToken revokes the old token immediately and drops the connections that used
// it.
func regenerateRegistrationToken(s *Server, r *request) reply {
	r.domain.registrationToken, r.domain.updated = newRegistrationToken(), s.timestamp()
	s.dropDomain(r.domain)
	for _, g := range r.domain.servers {
		g.connected = false // game servers of ConnectGameServer have no connection to cut
	}
	return ok(nil)
}

type reachability struct {
	Connectable bool   `json:"connectable"`
	Latency     *int   `json:"latency,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// testReachability checks the connection now and stores the result.
func testReachability(s *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply {
		if !g.enabled {
			return fail(badRequest("Game server is disabled"))
		}
		answer := s.reach(g)
		if g.reachable != answer.Connectable {
			g.reachable, g.updated = answer.Connectable, s.timestamp()
		}
		return ok(answer)
	})
}

// reach sends a request to a game server over its connection. Without a connection it returns
// immediately.
func (s *Server) reach(g *gameServer) reachability {
	timedOut := reachability{Reason: "Request timed out"}
	if c := s.connector.byServer[g.id]; c != nil {
		var answer reachability
		raw, answered := s.ask(c, "testReachability", struct{}{})
		if !answered || json.Unmarshal(raw, &answer) != nil {
			return timedOut
		}
		return answer
	}
	if !g.connected {
		return timedOut
	}
	latency := 1
	return reachability{Connectable: true, Latency: &latency}
}

func executeCommand(s *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply {
		if !g.connected {
			return fail(internal())
		}
		result := struct {
			RawResult string `json:"rawResult"`
			Success   bool   `json:"success"`
		}{Success: true}
		if c := s.connector.byServer[g.id]; c != nil {
			raw, answered := s.ask(c, "executeConsoleCommand", map[string]any{"command": r.body["command"]})
			if result.Success = false; !answered || json.Unmarshal(raw, &result) != nil {
				return fail(internal())
			}
			return ok(result)
		}
		if s.console != nil {
			result.RawResult, result.Success = s.console(g.id, r.body["command"].(string))
		}
		return ok(result)
	})
}
