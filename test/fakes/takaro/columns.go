// SPDX-License-Identifier: Apache-2.0

package takaro

// The columns by which a search can filter and sort, per kind.

func nullable(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

func (d *domain) column(name string) (any, bool) {
	switch name {
	case "id":
		return d.id, true
	case "name":
		return d.name, true
	case "state":
		return d.state, true
	case "externalReference":
		return nullable(d.reference), true
	case "serverRegistrationToken":
		return d.registrationToken, true
	case "createdAt":
		return d.created, true
	case "updatedAt":
		return d.updated, true
	}
	limit, known := d.limits[name]
	return limit, known
}

func (u *user) column(name string) (any, bool) {
	switch name {
	case "id":
		return u.id, true
	case "name":
		return u.name, true
	case "idpId":
		return u.idpID, true
	case "isDashboardUser":
		return u.dashboard, true
	case "discordId", "playerId":
		return nil, true
	case "createdAt":
		return u.created, true
	case "updatedAt":
		return u.updated, true
	case "lastSeen":
		return u.lastSeen, true
	case "roleId":
		ids := []string{}
		for _, a := range u.assignments {
			ids = append(ids, a.role.id)
		}
		return ids, true
	}
	return nil, false
}

func (r *role) column(name string) (any, bool) {
	switch name {
	case "id":
		return r.id, true
	case "name":
		return r.name, true
	case "system":
		return r.system, true
	case "createdAt":
		return r.created, true
	case "updatedAt":
		return r.updated, true
	}
	return nil, false
}

func (g *gameServer) column(name string) (any, bool) {
	switch name {
	case "id":
		return g.id, true
	case "name":
		return g.name, true
	case "type":
		return g.kind, true
	case "identityToken":
		return nullable(g.identityToken), true
	case "reachable":
		return g.reachable, true
	case "enabled":
		return g.enabled, true
	case "createdAt":
		return g.created, true
	case "updatedAt":
		return g.updated, true
	}
	return nil, false
}
