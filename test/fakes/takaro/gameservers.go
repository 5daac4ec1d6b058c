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

// insertGameServer makes a record. Takaro believes in it at once: reachable is true until something has looked.
func (s *Server) insertGameServer(d *domain, name, kind string, identity *string, info string) (*gameServer, *apiError) {
	if len(d.servers) >= d.limits["maxGameservers"] {
		return nil, badRequest("Max game servers reached")
	}
	if d.serverNamed(name) != nil {
		return nil, conflict()
	}
	now := s.timestamp()
	g := &gameServer{id: s.newID(kindGameServer, name), name: name, kind: kind, identityToken: identity, reachable: true, enabled: true, created: now, updated: now}
	g.setInfo(info)
	d.servers[g.id] = g
	return g, nil
}

// setInfo keeps the connection info and the form in which a search shows it: bytes that look like an OpenPGP message.
func (g *gameServer) setInfo(info string) {
	g.info = map[string]any{}
	_ = json.Unmarshal([]byte(info), &g.info) // JSON that is no object stays an empty one
	noise := make([]byte, 60+len(info))
	_, _ = rand.Read(noise) // crypto/rand.Read never fails
	g.sealed = []int{195, 13, 4, 7, 3, 2}
	for _, b := range noise {
		g.sealed = append(g.sealed, int(b))
	}
}

func (d *domain) serverNamed(name string) *gameServer {
	for _, g := range d.servers {
		if g.name == name {
			return g
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

func deleteGameServer(_ *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply {
		delete(r.domain.servers, g.id)
		return ok(nil)
	})
}

// regenerateRegistrationToken kills the old token at once and drops the connections made with it.
func regenerateRegistrationToken(s *Server, r *request) reply {
	r.domain.registrationToken, r.domain.updated = newRegistrationToken(), s.timestamp()
	for _, g := range r.domain.servers {
		g.connected = false
	}
	return ok(nil)
}

type reachability struct {
	Connectable bool   `json:"connectable"`
	Latency     *int   `json:"latency,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// testReachability looks at the connection now and stores what it saw.
func testReachability(s *Server, r *request) reply {
	return withGameServer(r, func(g *gameServer) reply {
		if !g.enabled {
			return fail(badRequest("Game server is disabled"))
		}
		if g.reachable != g.connected {
			g.reachable, g.updated = g.connected, s.timestamp()
		}
		if !g.connected {
			return ok(reachability{Reason: "Request timed out"})
		}
		latency := 1
		return ok(reachability{Connectable: true, Latency: &latency})
	})
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
		if s.console != nil {
			result.RawResult, result.Success = s.console(g.id, r.body["command"].(string))
		}
		return ok(result)
	})
}
