// SPDX-License-Identifier: Apache-2.0

package takaro

import "net/http"

// access is the credential that a route requires.
type access int

const (
	public   access = iota // no credential
	admin                  // X-Takaro-Admin-Token
	dashed                 // a domain token or session
	stateful               // the same, and the domain must be ACTIVE
)

// route is one operation with its conditions, in the order in which they are checked before the
// handler runs.
type route struct {
	method, path string
	access       access
	permissions  []string
	uuids        []string // path parameters that must be UUIDs
	body         *schema  // nil: the body is not checked
	handle       func(*Server, *request) reply
}

// unknownRoute answers requests that no route matches.
var unknownRoute = route{handle: func(_ *Server, r *request) reply {
	return htmlPage(http.StatusNotFound, "Cannot "+r.method+" "+r.path)
}}

var (
	id         = []string{"id"}
	idAndRole  = []string{"id", "roleId"}
	usersRead  = []string{permReadUsers}
	usersWrite = []string{permManageUsers}
	rolesWrite = []string{permManageUsers, permManageRoles}
	rolesRead  = []string{permReadRoles}
	gamesWrite = []string{permManageGameServers}
	eventsRead = []string{permReadEvents}
)

// routes returns the part of the API that the stand-in implements. It is a function because one of
// the handlers lists the routes.
func routes() []route {
	return []route{
		{method: "GET", path: "/healthz", handle: healthz},
		{method: "GET", path: "/readyz", handle: readyz},
		{method: "GET", path: "/openapi.json", handle: openAPI},
		{method: "GET", path: "/api.html", handle: apiPage},
		{method: "GET", path: "/metrics", handle: metrics},

		{method: "POST", path: "/domain", access: admin, body: domainCreate, handle: createDomain},
		{method: "POST", path: "/domain/search", access: admin, body: domainSearch, handle: searchDomains},
		{method: "GET", path: "/domain/{id}", access: admin, handle: getDomain},
		{method: "PUT", path: "/domain/{id}", access: admin, body: domainUpdate, handle: updateDomain},
		{method: "DELETE", path: "/domain/{id}", access: admin, handle: deleteDomain},
		{method: "POST", path: "/token", access: admin, body: tokenInput, handle: createToken},
		{method: "POST", path: "/resolve-registration-token", access: admin, body: registrationTokenInput, handle: resolveRegistrationToken},

		{method: "POST", path: "/login", body: loginInput, handle: login},
		{method: "POST", path: "/logout", handle: logout},
		{method: "GET", path: "/me", access: dashed, handle: me},

		{method: "POST", path: "/user", access: dashed, permissions: usersWrite, body: userCreate, handle: createUser},
		{method: "POST", path: "/user/search", access: dashed, permissions: usersRead, body: userSearch, handle: searchUsers},
		{method: "POST", path: "/user/invite", access: dashed, permissions: usersWrite, body: inviteInput, handle: inviteUser},
		{method: "GET", path: "/user/{id}", access: dashed, permissions: usersRead, uuids: id, handle: getUser},
		{method: "PUT", path: "/user/{id}", access: dashed, permissions: usersWrite, uuids: id, body: userUpdate, handle: updateUser},
		{method: "DELETE", path: "/user/{id}", access: dashed, permissions: usersWrite, uuids: id, handle: deleteUser},
		{method: "POST", path: "/user/{id}/role/{roleId}", access: dashed, permissions: rolesWrite, uuids: idAndRole,
			body: assignInput, handle: assignRole},
		{method: "DELETE", path: "/user/{id}/role/{roleId}", access: dashed, permissions: rolesWrite, uuids: idAndRole, handle: removeRole},

		{method: "POST", path: "/role/search", access: stateful, permissions: rolesRead, body: roleSearch, handle: searchRoles},
		{method: "GET", path: "/role/{id}", access: stateful, permissions: rolesRead, uuids: id, handle: getRole},
		{method: "GET", path: "/permissions", access: stateful, handle: listPermissions},

		{method: "GET", path: "/settings", access: stateful, handle: listSettings},
		{method: "GET", path: "/settings/{key}", access: stateful, handle: getSetting},
		{method: "POST", path: "/settings/{key}", access: stateful, permissions: []string{permManageSettings},
			body: settingInput, handle: setSetting},
		{method: "DELETE", path: "/settings/{key}", access: stateful, permissions: []string{permManageSettings}, handle: deleteSetting},

		{method: "POST", path: "/gameserver", access: stateful, permissions: gamesWrite, body: gameServerCreate, handle: createGameServer},
		{method: "POST", path: "/gameserver/search", access: stateful, body: gameServerSearch, handle: searchGameServers},
		{method: "GET", path: "/gameserver/{id}", access: stateful, uuids: id, handle: getGameServer},
		{method: "PUT", path: "/gameserver/{id}", access: stateful, permissions: gamesWrite, uuids: id, body: gameServerUpdate,
			handle: updateGameServer},
		{method: "DELETE", path: "/gameserver/{id}", access: stateful, permissions: gamesWrite, uuids: id, handle: deleteGameServer},
		{method: "DELETE", path: "/gameserver/registrationToken", access: stateful, permissions: gamesWrite, handle: regenerateRegistrationToken},
		{method: "GET", path: "/gameserver/{id}/reachability", access: stateful, uuids: id, handle: testReachability},
		{method: "POST", path: "/event/search", access: dashed, permissions: eventsRead, body: eventSearch, handle: searchEvents},
		{method: "POST", path: "/gameserver/{id}/command", access: stateful, permissions: gamesWrite, uuids: id,
			body: commandInput, handle: executeCommand},
	}
}
