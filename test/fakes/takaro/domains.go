// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"maps"
	"math"
	"slices"
)

// createdDomain is the only response that contains the root password.
type createdDomain struct {
	CreatedDomain domainView `json:"createdDomain"`
	RootUser      userView   `json:"rootUser"`
	RootRole      roleView   `json:"rootRole"`
	Password      string     `json:"password"`
}

// createDomain inserts the row first and the root user later, not in one transaction: a failure in
// between leaves a domain without a root user. An id in the body is ignored.
func createDomain(s *Server, r *request) reply {
	d, e := s.insertDomain(r.body)
	if e != nil {
		return fail(e)
	}
	if !r.wait() || r.faults.halfMade || s.state.domains[d.id] != d {
		return fail(internal())
	}
	root, password := s.addRoot(d)
	answer := createdDomain{CreatedDomain: d.view(), RootUser: s.userView(d, root), RootRole: d.roleNamed(roleRoot).view(), Password: password}
	s.assign(root, d.roleNamed(roleRoot), nil)
	return ok(answer)
}

// insertDomain creates the row and its roles, without users.
func (s *Server) insertDomain(body map[string]any) (*domain, *apiError) {
	now := s.timestamp()
	d := &domain{state: StateActive, limits: maps.Clone(limitDefaults), registrationToken: newRegistrationToken(), created: now, updated: now,
		users: map[string]*user{}, servers: map[string]*gameServer{}, settings: map[settingKey]string{}}
	if e := s.changeDomain(d, body); e != nil {
		return nil, e
	}
	for d.id = s.newID(kindDomain, d.name); s.state.usedIDs[d.id]; d.id = s.newID(kindDomain, d.name) {
	}
	s.state.usedIDs[d.id] = true
	s.state.domains[d.id] = d
	if d.reference != nil {
		s.state.references[*d.reference] = d.id
	}
	s.addDefaultRoles(d)
	return d, nil
}

// addRoot creates the user root with a new password, without its role.
func (s *Server) addRoot(d *domain) (*user, string) {
	password := randomHex(20)
	return s.insertUser(d, roleRoot, s.identityFor("root@"+d.id+".com", password).id, false), password
}

// changeDomain writes the columns of a create or update body, or none of them if the database would
// refuse one.
func (s *Server) changeDomain(d *domain, body map[string]any) *apiError {
	for _, column := range append([]string{"name", "state"}, limitNames...) {
		v, given := body[column]
		if given && v == nil {
			return badRequest("Missing required field")
		}
		if n, isNumber := v.(float64); isNumber && (n != math.Trunc(n) || math.Abs(n) > math.MaxInt32) {
			return internal() // not an integer to the database: not mapped to a 400
		}
	}
	reference, given := body["externalReference"].(string)
	if owner, taken := s.state.references[reference]; given && taken && owner != d.id {
		return conflict()
	}
	if v, has := body["externalReference"]; has {
		s.setReference(d, v)
	}
	if name, has := body["name"].(string); has {
		d.name = name
	}
	if state, has := body["state"].(string); has {
		d.state = state
	}
	for _, limit := range limitNames {
		if n, has := body[limit].(float64); has {
			d.limits[limit] = int(n)
		}
	}
	return nil
}

func (s *Server) setReference(d *domain, v any) {
	if d.reference != nil {
		delete(s.state.references, *d.reference)
	}
	d.reference = nil
	if text, isText := v.(string); isText {
		d.reference = &text
		if d.id != "" {
			s.state.references[text] = d.id
		}
	}
}

func searchDomains(s *Server, r *request) reply {
	found, total, e := find(slices.Collect(maps.Values(s.state.domains)), r)
	if e != nil {
		return fail(e)
	}
	views := make([]domainView, 0, len(found))
	for _, d := range found {
		views = append(views, d.view())
	}
	return okPage(views, r.page, total)
}

// withDomain calls f with the domain of the path, which must be its Takaro id. An external
// reference is a 404.
func withDomain(s *Server, r *request, f func(d *domain) reply) reply {
	d := s.state.domains[r.param("id")]
	if d == nil {
		return fail(notFound())
	}
	return f(d)
}

func getDomain(s *Server, r *request) reply {
	return withDomain(s, r, func(d *domain) reply { return ok(d.view()) })
}

// updateDomain changes the fields that the body contains. An empty body changes updatedAt only; a
// state updates every game server.
func updateDomain(s *Server, r *request) reply {
	return withDomain(s, r, func(d *domain) reply {
		if e := s.changeDomain(d, r.body); e != nil {
			return fail(e)
		}
		d.updated = s.timestamp()
		if _, given := r.body["state"]; given {
			for _, g := range d.servers {
				g.updated = d.updated
			}
			if d.state == StateDisabled {
				s.dropDomain(d)
			}
		}
		return ok(d.view())
	})
}

// deleteDomain disables the domain and deletes its game servers. With ?hardDelete=true it deletes
// the row and everything that refers to it. Identities stay in both cases.
func deleteDomain(s *Server, r *request) reply {
	return withDomain(s, r, func(d *domain) reply {
		if r.query.Get("hardDelete") == "true" {
			s.removeDomain(d)
			return ok(nil)
		}
		s.dropDomain(d)
		if s.realism.SoftDelete {
			s.softDelete(d, slices.Collect(maps.Values(d.servers))...)
		}
		d.servers, d.state, d.updated = map[string]*gameServer{}, StateDisabled, s.timestamp()
		return ok(nil)
	})
}

func (s *Server) removeDomain(d *domain) {
	s.dropDomain(d)
	delete(s.state.domains, d.id)
	if d.reference != nil {
		delete(s.state.references, *d.reference)
	}
}

// resolveRegistrationToken returns the domain of a registration token. A DISABLED domain counts as
// unknown.
func resolveRegistrationToken(s *Server, r *request) reply {
	if d := s.domainOfToken(r.body["registrationToken"].(string)); d != nil {
		return ok(d.view())
	}
	return fail(notFound())
}

// dropDomain cuts the connections of a domain's game servers.
func (s *Server) dropDomain(d *domain) {
	s.dropSessions(func(c *session) bool { return c.domainID == d.id })
}
