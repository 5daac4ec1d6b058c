// SPDX-License-Identifier: Apache-2.0

package takaro

// Names of the roles that every domain has.
const (
	roleRoot   = "root"
	roleUser   = "User"
	rolePlayer = "Player"
)

// Names of permissions that routes require.
const (
	permRoot              = "ROOT"
	permManageUsers       = "MANAGE_USERS"
	permReadUsers         = "READ_USERS"
	permManageRoles       = "MANAGE_ROLES"
	permReadRoles         = "READ_ROLES"
	permManageSettings    = "MANAGE_SETTINGS"
	permReadSettings      = "READ_SETTINGS"
	permManageGameServers = "MANAGE_GAMESERVERS"
	permReadGameServers   = "READ_GAMESERVERS"
	permReadPlayers       = "READ_PLAYERS"
	permReadEvents        = "READ_EVENTS"
)

func newCatalogue(now string) []permission {
	list := []permission{
		{name: permRoot, friendly: "Root Access", description: "Full access to all systems and resources"},
		{name: permManageUsers, friendly: "Manage Users", description: "Can create, update, and delete users"},
		{name: permReadUsers, friendly: "Read Users", description: "Can view user details"},
		{name: permManageRoles, friendly: "Manage Roles", description: "Can create, update, and delete roles"},
		{name: permReadRoles, friendly: "Read Roles", description: "Can view role details"},
		{name: permManageGameServers, friendly: "Manage Gameservers", description: "Can create, update, and delete gameservers"},
		{name: permReadGameServers, friendly: "Read Gameservers", description: "Can view gameserver details"},
		{name: permReadPlayers, friendly: "Read Players", description: "Can view player details"},
		{name: permManageSettings, friendly: "Manage Settings", description: "Can modify settings"},
		{name: permReadSettings, friendly: "Read Settings", description: "Can view settings"},
	}
	for i := range list {
		list[i].id, list[i].created = randomID(kindOther, list[i].name), now
	}
	return list
}

// addDefaultRoles adds the five default roles to a new domain.
func (s *Server) addDefaultRoles(d *domain) {
	d.roles = append(d.roles,
		s.newRole(roleRoot, true, permRoot),
		s.newRole("Admin", false, permRoot),
		s.newRole("Moderator", false, permReadPlayers, permReadSettings),
		s.newRole(rolePlayer, true),
		s.newRole(roleUser, true),
	)
}

func (s *Server) newRole(name string, system bool, permissions ...string) *role {
	now := s.timestamp()
	r := &role{id: s.newID(kindRole, name), name: name, system: system, created: now, updated: now}
	for _, want := range permissions {
		for _, p := range s.state.catalogue {
			if p.name == want {
				r.permissions = append(r.permissions, rolePermission{id: s.newID(kindOther, want), created: now, updated: now, permission: p})
			}
		}
	}
	return r
}

func (d *domain) role(id string) *role {
	for _, r := range d.roles {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (d *domain) roleNamed(name string) *role {
	for _, r := range d.roles {
		if r.name == name {
			return r
		}
	}
	return nil
}

// may reports whether the user has the permission, by an assigned role or by the role User that
// every user has.
func (u *user) may(d *domain, permission string) bool {
	roles := []*role{}
	if everybody := d.roleNamed(roleUser); everybody != nil {
		roles = append(roles, everybody)
	}
	for _, a := range u.assignments {
		roles = append(roles, a.role)
	}
	for _, r := range roles {
		for _, p := range r.permissions {
			if p.permission.name == permission || p.permission.name == permRoot {
				return true
			}
		}
	}
	return false
}
