// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"maps"
	"slices"
)

// clone returns a deep copy of everything that handlers change in place. Texts, sealed bytes,
// connection info and the catalogue are only ever replaced, so that both copies may share them.
func (st *state) clone() *state {
	out := &state{
		domains: map[string]*domain{}, references: maps.Clone(st.references), usedIDs: st.usedIDs, catalogue: st.catalogue,
		identities: map[string]*identity{}, identityID: map[string]*identity{}, sessions: map[string]*identity{},
	}
	for id, i := range st.identityID {
		copied := *i
		out.identityID[id] = &copied
	}
	for email, i := range st.identities {
		out.identities[email] = out.identityID[i.id]
	}
	for token, i := range st.sessions {
		out.sessions[token] = out.identityID[i.id]
	}
	for id, d := range st.domains {
		out.domains[id] = d.clone()
	}
	return out
}

func (d *domain) clone() *domain {
	out := *d
	out.limits, out.settings, out.events = maps.Clone(d.limits), maps.Clone(d.settings), slices.Clone(d.events)
	out.roles = make([]*role, 0, len(d.roles))
	copies := map[*role]*role{}
	for _, r := range d.roles {
		copied := *r
		copies[r] = &copied
		out.roles = append(out.roles, &copied)
	}
	out.users = make(map[string]*user, len(d.users))
	for id, u := range d.users {
		out.users[id] = u.clone(copies)
	}
	out.servers, out.deleted = cloneServers(d.servers), cloneServers(d.deleted)
	return &out
}

// clone returns a copy whose assignments point to the copies of their roles.
func (u *user) clone(roles map[*role]*role) *user {
	out := *u
	out.assignments = make([]*assignment, 0, len(u.assignments))
	for _, a := range u.assignments {
		copied := *a
		copied.role = roles[a.role]
		out.assignments = append(out.assignments, &copied)
	}
	return &out
}

func cloneServers(servers map[string]*gameServer) map[string]*gameServer {
	out := make(map[string]*gameServer, len(servers))
	for id, g := range servers {
		copied := *g
		out[id] = &copied
	}
	return out
}
