// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Domain is a copy of one domain at one moment.
type Domain struct {
	ID, Name          string
	ExternalReference string // empty when it is null
	State             string
	RegistrationToken string
	MaxGameServers    int
	MaxUsers          int
	// HasRoot is false for a half-created domain, for which no token can be issued.
	HasRoot     bool
	Users       []User       // ordered by e-mail, root among them
	GameServers []GameServer // ordered by name
}

// User is a copy of one user of a domain.
type User struct {
	ID, Name, Email string
	IdentityID      string
	Dashboard       bool
	Roles           []string // names of the assigned roles, ordered; without User, which every user has
}

// GameServer is a copy of one game server record.
type GameServer struct {
	ID, Name, Type string
	IdentityToken  string // empty when it is null
	Reachable      bool   // as Takaro stores it
	Connected      bool   // whether there is a live connection
}

// Domains returns copies of all domains except anchors, ordered by id. Tests count the domains that
// objects requested. See Anchors.
func (s *Server) Domains() []Domain {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Domain, 0, len(s.state.domains))
	for _, d := range s.state.domains {
		if !d.isAnchor() {
			out = append(out, s.snapshot(d))
		}
	}
	slices.SortFunc(out, func(a, b Domain) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Domain returns a copy of the domain with this Takaro id, or false if none exists.
func (s *Server) Domain(id string) (Domain, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.domains[id]
	if d == nil {
		return Domain{}, false
	}
	return s.snapshot(d), true
}

// DomainByReference returns a copy of the domain with this external reference, or false if none
// exists.
func (s *Server) DomainByReference(reference string) (Domain, bool) {
	s.mu.Lock()
	id := s.state.references[reference]
	s.mu.Unlock()
	return s.Domain(id)
}

// PasswordIs reports whether a login with this e-mail and password would succeed.
func (s *Server) PasswordIs(email, password string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.state.identities[strings.ToLower(email)]
	return i != nil && i.password != "" && i.password == password
}

func (s *Server) snapshot(d *domain) Domain {
	out := Domain{ID: d.id, Name: d.name, State: d.state, RegistrationToken: d.registrationToken,
		MaxGameServers: d.limits["maxGameservers"], MaxUsers: d.limits["maxUsers"], HasRoot: d.root() != nil}
	if d.reference != nil {
		out.ExternalReference = *d.reference
	}
	for u := range maps.Values(d.users) {
		v := User{ID: u.id, Name: u.name, IdentityID: u.idpID, Dashboard: u.dashboard}
		if i := s.state.identityID[u.idpID]; i != nil {
			v.Email = i.email
		}
		for _, a := range u.assignments {
			v.Roles = append(v.Roles, a.role.name)
		}
		slices.Sort(v.Roles)
		out.Users = append(out.Users, v)
	}
	slices.SortFunc(out.Users, func(a, b User) int { return cmp.Or(cmp.Compare(a.Email, b.Email), cmp.Compare(a.ID, b.ID)) })
	for g := range maps.Values(d.servers) {
		out.GameServers = append(out.GameServers, g.snapshot())
	}
	slices.SortFunc(out.GameServers, func(a, b GameServer) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (g *gameServer) snapshot() GameServer {
	out := GameServer{ID: g.id, Name: g.name, Type: g.kind, Reachable: g.reachable, Connected: g.connected}
	if g.identityToken != nil {
		out.IdentityToken = *g.identityToken
	}
	return out
}
