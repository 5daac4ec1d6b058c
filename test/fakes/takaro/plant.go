// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
)

// Seed describes a domain to plant. Empty fields get the defaults of the API.
type Seed struct {
	Name              string // default "planted"
	ExternalReference string
	State             string
	MaxGameServers    int
	MaxUsers          int
}

func (d Seed) body() map[string]any {
	body := map[string]any{"name": d.Name}
	if d.Name == "" {
		body["name"] = "planted"
	}
	if d.ExternalReference != "" {
		body["externalReference"] = d.ExternalReference
	}
	if d.State != "" {
		body["state"] = d.State
	}
	if d.MaxGameServers != 0 {
		body["maxGameservers"] = float64(d.MaxGameServers)
	}
	if d.MaxUsers != 0 {
		body["maxUsers"] = float64(d.MaxUsers)
	}
	return body
}

// check returns an error that names the first field that the API would refuse.
func (d Seed) check() error {
	if v := domainCreate.validate(d.body()); len(v) > 0 {
		return fmt.Errorf("cannot plant a domain: %s of the seed is not valid", v[0].Property)
	}
	return nil
}

// PlantDomain creates a domain as another client would, without a request, and returns it with the
// password of its root user. It returns an error if the external reference is already in use or the
// API would not accept the seed.
func (s *Server) PlantDomain(seed Seed) (Domain, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.plant(seed)
	if err != nil {
		return Domain{}, "", err
	}
	root, password := s.addRoot(d)
	s.assign(root, d.roleNamed(roleRoot), nil)
	return s.snapshot(d), password, nil
}

// PlantHalfMadeDomain creates a domain without a root user, as a failed create leaves it.
func (s *Server) PlantHalfMadeDomain(seed Seed) (Domain, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.plant(seed)
	if err != nil {
		return Domain{}, err
	}
	return s.snapshot(d), nil
}

func (s *Server) plant(seed Seed) (*domain, error) {
	if err := seed.check(); err != nil {
		return nil, err
	}
	d, e := s.insertDomain(seed.body())
	if e != nil {
		return nil, fmt.Errorf("cannot plant domain %q with external reference %q: %s", seed.Name, seed.ExternalReference, e.Message)
	}
	return d, nil
}

// PlantIdentity creates an identity that no domain has yet, so that a later user with this e-mail
// gets the identity with its old password. An existing identity does not change.
func (s *Server) PlantIdentity(email, password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identityFor(email, password)
}

// RemoveDomain hard-deletes a domain without a request and reports whether it existed.
func (s *Server) RemoveDomain(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.domains[id]
	if d == nil {
		return false
	}
	s.removeDomain(d)
	return true
}

// ErrNoSuchObject is returned by the methods on game servers for an unknown domain or game server.
var ErrNoSuchObject = errors.New("the Takaro stand-in has no such domain or game server")

// ConnectGameServer does what an identified connection does: it finds the GENERIC game server with
// this identity token, or creates one named after it, and marks it connected and reachable. The
// error says why the real API would refuse, such as for the limit.
func (s *Server) ConnectGameServer(domainID, identityToken string) (GameServer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.domains[domainID]
	if d == nil {
		return GameServer{}, ErrNoSuchObject
	}
	g, e := s.serverFor(d, identityToken, identityToken)
	if e != nil {
		if v, bad := e.Details.([]violation); bad {
			return GameServer{}, fmt.Errorf("identity token %q cannot be the name of a game server: %v", identityToken, v[0].Constraints)
		}
		return GameServer{}, fmt.Errorf("game server %q of domain %s: %s", identityToken, domainID, e.Message)
	}
	g.connected, g.reachable, g.dialed = true, true, false
	return g.snapshot(), nil
}

// SetReachable sets both what Takaro stores and whether there is a live connection.
func (s *Server) SetReachable(domainID, gameServerID string, reachable bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.domains[domainID]
	if d == nil || d.servers[gameServerID] == nil {
		return ErrNoSuchObject
	}
	g := d.servers[gameServerID]
	g.connected, g.reachable, g.dialed, g.updated = reachable, reachable, false, s.timestamp()
	return nil
}

func (d *domain) serverByIdentity(token string) *gameServer {
	for _, g := range d.servers {
		if g.kind == "GENERIC" && g.identityToken != nil && *g.identityToken == token {
			return g
		}
	}
	return nil
}
