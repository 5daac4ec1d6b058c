// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

func (s *Server) insertUser(d *domain, name, idpID string, dashboard bool) *user {
	now := s.timestamp()
	u := &user{id: s.newID(kindUser, name), name: name, idpID: idpID, dashboard: dashboard, created: now, updated: now, lastSeen: now}
	d.users[u.id] = u
	return u
}

// createUser returns the existing user, unchanged, if the domain has one with this e-mail, ignoring
// case.
func createUser(s *Server, r *request) reply {
	dashboard, _ := r.body["isDashboardUser"].(bool)
	if e := dashboardLimit(r.domain, dashboard); e != nil {
		return fail(e)
	}
	idpID, given := r.body["idpId"].(string)
	if !given {
		idpID = s.identityFor(r.body["email"].(string), r.body["password"].(string)).id
	}
	u := r.domain.userOf(idpID)
	if u == nil {
		u = s.insertUser(r.domain, r.body["name"].(string), idpID, dashboard)
	}
	return ok(s.userView(r.domain, u))
}

// dashboardLimit refuses more dashboard users than maxUsers. Other users, such as root, are not
// counted.
func dashboardLimit(d *domain, wanted bool) *apiError {
	n := 0
	for _, u := range d.users {
		if u.dashboard {
			n++
		}
	}
	if limit := d.limits["maxUsers"]; wanted && n >= limit {
		return badRequest(fmt.Sprintf("Max users (%d) limit reached", limit))
	}
	return nil
}

// inviteUser creates a user without a password. The stand-in sends no mail.
func inviteUser(s *Server, r *request) reply {
	email := r.body["email"].(string)
	i := s.identityFor(email, "")
	u := r.domain.userOf(i.id)
	if u == nil {
		u = s.insertUser(r.domain, email, i.id, false)
	}
	return ok(s.userView(r.domain, u))
}

func searchUsers(s *Server, r *request) reply {
	found, total, e := find(slices.Collect(maps.Values(r.domain.users)), r)
	if e != nil {
		return fail(e)
	}
	views := make([]userView, 0, len(found))
	for _, u := range found {
		views = append(views, s.userView(r.domain, u))
	}
	return okPage(views, r.page, total)
}

func getUser(s *Server, r *request) reply {
	u := r.domain.users[r.param("id")]
	if u == nil {
		return fail(&apiError{status: http.StatusNotFound, Code: codeNotFound, Message: "User with id " + r.param("id") + " not found"})
	}
	return ok(s.userView(r.domain, u))
}

// updateUser answers 500 for an unknown user, as the real API does.
func updateUser(s *Server, r *request) reply {
	u := r.domain.users[r.param("id")]
	if u == nil {
		return fail(internal())
	}
	dashboard, given := r.body["isDashboardUser"].(bool)
	if e := dashboardLimit(r.domain, dashboard && !u.dashboard); e != nil {
		return fail(e)
	}
	if given {
		u.dashboard = dashboard
	}
	if name, has := r.body["name"].(string); has {
		u.name = name
	}
	u.updated = s.timestamp()
	return ok(s.userView(r.domain, u))
}

// deleteUser deletes the row if it exists. The identity and its password stay.
func deleteUser(_ *Server, r *request) reply {
	delete(r.domain.users, r.param("id"))
	return ok(nil)
}

func assignRole(s *Server, r *request) reply {
	role := r.domain.role(r.param("roleId"))
	if role == nil {
		return fail(notFound())
	}
	if role.system && (role.name == roleUser || role.name == rolePlayer) {
		return fail(badRequest("Cannot assign Player or User role, everyone has these by default"))
	}
	u := r.domain.users[r.param("id")]
	if u == nil {
		return fail(internal()) // an invalid foreign key: not mapped
	}
	for _, a := range u.assignments {
		if a.role == role {
			return fail(conflict())
		}
	}
	var expires *string
	if text, given := r.body["expiresAt"].(string); given {
		expires = &text
	}
	s.assign(u, role, expires)
	return ok(nil)
}

func (s *Server) assign(u *user, role *role, expires *string) {
	now := s.timestamp()
	u.assignments = append(u.assignments, &assignment{id: s.newID(kindOther, role.name), created: now, updated: now,
		expires: expires, role: role})
}

func removeRole(_ *Server, r *request) reply {
	role := r.domain.role(r.param("roleId"))
	if role == nil {
		return fail(notFound())
	}
	if u := r.domain.users[r.param("id")]; u != nil {
		u.assignments = slices.DeleteFunc(u.assignments, func(a *assignment) bool { return a.role == role })
	}
	return ok(nil)
}

// me returns the user, all domains of the same identity, and the domain of the request.
func me(s *Server, r *request) reply {
	domains := []domainView{}
	for _, d := range s.domainsOf(r.user.idpID) {
		domains = append(domains, d.view())
	}
	return ok(struct {
		User    userView     `json:"user"`
		Domains []domainView `json:"domains"`
		Domain  string       `json:"domain"`
		Pogs    []any        `json:"pogs"`
	}{s.userView(r.domain, r.user), domains, r.domain.id, []any{}})
}

func searchRoles(_ *Server, r *request) reply {
	found, total, e := find(slices.Clone(r.domain.roles), r)
	if e != nil {
		return fail(e)
	}
	views := make([]roleView, 0, len(found))
	for _, role := range found {
		views = append(views, role.view())
	}
	return okPage(views, r.page, total)
}

func getRole(_ *Server, r *request) reply {
	role := r.domain.role(r.param("id"))
	if role == nil {
		return fail(notFound())
	}
	return ok(role.view())
}

func listPermissions(s *Server, _ *request) reply {
	views := []permissionView{}
	for _, p := range s.state.catalogue {
		views = append(views, p.view())
	}
	return ok(views)
}
