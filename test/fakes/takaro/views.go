// SPDX-License-Identifier: Apache-2.0

package takaro

import "slices"

// The types of this file are what the API returns: copies of the state with exactly the keys of the
// recording.

type domainView struct {
	CreatedAt               string  `json:"createdAt"`
	UpdatedAt               string  `json:"updatedAt"`
	ID                      string  `json:"id"`
	Name                    string  `json:"name"`
	RateLimitPoints         int     `json:"rateLimitPoints"`
	RateLimitDuration       int     `json:"rateLimitDuration"`
	ExternalReference       *string `json:"externalReference"`
	ServerRegistrationToken string  `json:"serverRegistrationToken"`
	MaxGameservers          int     `json:"maxGameservers"`
	MaxUsers                int     `json:"maxUsers"`
	EventRetentionDays      int     `json:"eventRetentionDays"`
	MaxVariables            int     `json:"maxVariables"`
	MaxModules              int     `json:"maxModules"`
	MaxFunctionsInModule    int     `json:"maxFunctionsInModule"`
	State                   string  `json:"state"`
}

func (d *domain) view() domainView {
	return domainView{
		CreatedAt: d.created, UpdatedAt: d.updated, ID: d.id, Name: d.name, RateLimitPoints: 2500, RateLimitDuration: 900000,
		ExternalReference: d.reference, ServerRegistrationToken: d.registrationToken,
		MaxGameservers: d.limits["maxGameservers"], MaxUsers: d.limits["maxUsers"], EventRetentionDays: d.limits["eventRetentionDays"],
		MaxVariables: d.limits["maxVariables"], MaxModules: d.limits["maxModules"], MaxFunctionsInModule: d.limits["maxFunctionsInModule"],
		State: d.state,
	}
}

type permissionView struct {
	CreatedAt       string  `json:"createdAt"`
	UpdatedAt       string  `json:"updatedAt"`
	ID              string  `json:"id"`
	Permission      string  `json:"permission"`
	Description     string  `json:"description"`
	FriendlyName    string  `json:"friendlyName"`
	CanHaveCount    bool    `json:"canHaveCount"`
	ModuleVersionID *string `json:"moduleVersionId"`
}

func (p permission) view() permissionView {
	return permissionView{CreatedAt: p.created, UpdatedAt: p.created, ID: p.id, Permission: p.name, Description: p.description,
		FriendlyName: p.friendly}
}

type rolePermissionView struct {
	CreatedAt    string         `json:"createdAt"`
	UpdatedAt    string         `json:"updatedAt"`
	ID           string         `json:"id"`
	RoleID       string         `json:"roleId"`
	Count        int            `json:"count"`
	PermissionID string         `json:"permissionId"`
	Permission   permissionView `json:"permission"`
}

type roleView struct {
	CreatedAt           string               `json:"createdAt"`
	UpdatedAt           string               `json:"updatedAt"`
	ID                  string               `json:"id"`
	Name                string               `json:"name"`
	System              bool                 `json:"system"`
	LinkedDiscordRoleID *string              `json:"linkedDiscordRoleId"`
	Permissions         []rolePermissionView `json:"permissions"`
}

func (r *role) view() roleView {
	out := roleView{CreatedAt: r.created, UpdatedAt: r.updated, ID: r.id, Name: r.name, System: r.system, Permissions: []rolePermissionView{}}
	for _, p := range r.permissions {
		out.Permissions = append(out.Permissions, rolePermissionView{CreatedAt: p.created, UpdatedAt: p.updated, ID: p.id,
			RoleID: r.id, PermissionID: p.permission.id, Permission: p.permission.view()})
	}
	return out
}

type assignmentView struct {
	CreatedAt string   `json:"createdAt"`
	UpdatedAt string   `json:"updatedAt"`
	UserID    string   `json:"userId"`
	RoleID    string   `json:"roleId"`
	ExpiresAt *string  `json:"expiresAt"`
	ID        string   `json:"id"`
	Role      roleView `json:"role"`
}

// everybodyView is the entry for the role User, which has no row in the database.
type everybodyView struct {
	Role   roleView `json:"role"`
	RoleID string   `json:"roleId"`
	UserID string   `json:"userId"`
}

type userView struct {
	CreatedAt       string  `json:"createdAt"`
	UpdatedAt       string  `json:"updatedAt"`
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	IdpID           string  `json:"idpId"`
	DiscordID       *string `json:"discordId"`
	LastSeen        string  `json:"lastSeen"`
	PlayerID        *string `json:"playerId"`
	IsDashboardUser bool    `json:"isDashboardUser"`
	Roles           []any   `json:"roles"`
	Email           string  `json:"email"`
}

func (s *Server) userView(d *domain, u *user) userView {
	out := userView{CreatedAt: u.created, UpdatedAt: u.updated, ID: u.id, Name: u.name, IdpID: u.idpID, LastSeen: u.lastSeen,
		IsDashboardUser: u.dashboard}
	for _, a := range u.assignments {
		out.Roles = append(out.Roles, assignmentView{CreatedAt: a.created, UpdatedAt: a.updated, UserID: u.id, RoleID: a.role.id,
			ExpiresAt: a.expires, ID: a.id, Role: a.role.view()})
	}
	everybody := d.roleNamed(roleUser)
	out.Roles = append(out.Roles, everybodyView{Role: everybody.view(), RoleID: everybody.id, UserID: u.id})
	if i := s.state.identityID[u.idpID]; i != nil {
		out.Email = i.email
	}
	return out
}

// gameServerView contains connectionInfo as an object (create, get, update) or as the encrypted
// bytes (search).
type gameServerView struct {
	CreatedAt      string  `json:"createdAt"`
	UpdatedAt      string  `json:"updatedAt"`
	ID             string  `json:"id"`
	Name           string  `json:"name"`
	Type           string  `json:"type"`
	ConnectionInfo any     `json:"connectionInfo"`
	Reachable      bool    `json:"reachable"`
	Enabled        bool    `json:"enabled"`
	DeletedAt      *string `json:"deletedAt"`
	IdentityToken  *string `json:"identityToken"`
}

type bufferView struct {
	Type string `json:"type"`
	Data []int  `json:"data"`
}

func (g *gameServer) view(sealed bool) gameServerView {
	out := gameServerView{CreatedAt: g.created, UpdatedAt: g.updated, ID: g.id, Name: g.name, Type: g.kind, ConnectionInfo: g.info,
		Reachable: g.reachable, Enabled: g.enabled, IdentityToken: g.identityToken}
	if sealed {
		out.ConnectionInfo = bufferView{Type: "Buffer", Data: slices.Clone(g.sealed)}
	}
	return out
}
