// SPDX-License-Identifier: Apache-2.0

package takaro

import "strings"

// limitNames are the integer columns of a domain that a caller may set, and limitDefaults their
// defaults in the database.
var (
	limitNames    = []string{"maxGameservers", "maxUsers", "eventRetentionDays", "maxVariables", "maxModules", "maxFunctionsInModule"}
	limitDefaults = map[string]int{"maxGameservers": 1, "maxUsers": 1, "eventRetentionDays": 7, "maxVariables": 10000, "maxModules": 1000,
		"maxFunctionsInModule": 50}
)

var gameServerTypes = []string{"SEVENDAYSTODIE", "RUST", "GENERIC", "MOCK"}

var (
	stateEnum     = enum("", StateActive, StateDisabled, StateMaintenance) // the real text ends after the colon
	typeEnum      = enum(strings.Join(gameServerTypes, ", "), gameServerTypes...)
	directionEnum = enum("", "asc", "desc")
	eventEnum     = enum("", "chat-message", "player-connected", "player-disconnected", "player-death", "entity-killed", "cronjob-executed")
)

func must(name string, checks ...check) field { return field{name: name, checks: checks} }
func may(name string, checks ...check) field {
	return field{name: name, optional: true, checks: checks}
}
func object(name string, fields ...field) field {
	return field{name: name, optional: true, nested: &schema{fields: fields}}
}

// domainFields returns the schema of a create or update body: the shared keys and the given ones.
// The field name is a parameter because only create requires it.
func domainFields(name field, more ...field) *schema {
	fields := append([]field{name, may("externalReference", length(3, 200)), may("state", stateEnum)}, more...)
	for _, limit := range limitNames {
		fields = append(fields, may(limit, isNumber))
	}
	return &schema{fields: fields}
}

func searchSchema(filters, search field, more ...field) *schema {
	return &schema{fields: append([]field{filters, search,
		may("page", isNumber), may("limit", isNumber), may("sortBy", isString), may("sortDirection", directionEnum)}, more...)}
}

func texts(names ...string) []field {
	out := make([]field, 0, len(names))
	for _, n := range names {
		out = append(out, may(n, each(isString)))
	}
	return out
}

var (
	domainCreate = domainFields(must("name", length(3, 200)), may("id", length(3, 200)))
	domainUpdate = domainFields(may("name", length(3, 200)))
	// The id of a domain is not a UUID, but the filter requires UUIDs: a search for domains by id
	// is a 400.
	domainSearch = searchSchema(
		object("filters", append(texts("name", "externalReference"), may("id", each(isUUID)), may("state", each(stateEnum)))...),
		object("search", texts("name", "externalReference")...),
		may("greaterThan"), may("lessThan"))
	tokenInput             = &schema{fields: []field{must("domainId", isString)}}
	registrationTokenInput = &schema{fields: []field{must("registrationToken", isString)}}
	loginInput             = &schema{fields: []field{must("username", length(3, 50)), must("password", length(8, 50))}}

	userCreate = &schema{fields: []field{must("name", length(3, 50)), must("email", isEmail), must("password", isString),
		may("idpId", isString), may("isDashboardUser", isBoolean)}}
	userUpdate  = &schema{fields: []field{may("name", length(3, 50)), may("isDashboardUser", isBoolean)}}
	inviteInput = &schema{fields: []field{must("email", isEmail)}}
	assignInput = &schema{fields: []field{may("expiresAt", isISO8601)}}
	userSearch  = searchSchema(
		object("filters", append(texts("name", "idpId", "discordId"), may("id", each(isUUID)), may("playerId", each(isUUID)),
			may("roleId", each(isUUID)), may("isDashboardUser", each(isBoolean)))...),
		object("search", texts("name", "discordId")...),
		may("extend", each(enum("", "roles"))),
		object("greaterThan", may("lastSeen", isISO8601), may("createdAt", isISO8601), may("updatedAt", isISO8601)),
		object("lessThan", may("lastSeen", isISO8601), may("createdAt", isISO8601), may("updatedAt", isISO8601)))

	roleSearch = searchSchema(
		object("filters", append(texts("name"), may("id", each(isUUID)))...),
		object("search", texts("name")...),
		may("extend", each(enum("", "permissions"))), may("greaterThan"), may("lessThan"))
	settingInput = &schema{fields: []field{may("gameServerId", isUUID), must("value", isDefined)}}

	gameServerCreate = &schema{fields: []field{must("name", isString, length(3, 50)), must("connectionInfo", isJSON), must("type", isString,
		typeEnum), may("identityToken", isString)}}
	gameServerUpdate = &schema{fields: []field{must("name", isString, length(3, 50)), must("connectionInfo", isJSON), must("type", isString,
		typeEnum), may("reachable", isBoolean), may("enabled", isBoolean)}}
	gameServerSearch = searchSchema(
		object("filters", append(texts("name", "identityToken"), may("id", each(isUUID)), may("type", each(typeEnum)),
			may("reachable", each(isBoolean)), may("enabled", each(isBoolean)))...),
		object("search", texts("name")...),
		may("extend", each(enum("", "players", "items"))), may("greaterThan"), may("lessThan"))
	eventSearch = searchSchema(
		object("filters", append(texts("moduleId", "playerId", "gameserverId"), may("id", each(isUUID)), may("eventName", each(eventEnum)),
			may("actingUserId", each(isUUID)), may("actingModuleId", each(isUUID)))...),
		may("search"), may("extend", each(enum("", "module", "gameServer", "player", "user"))),
		object("greaterThan", may("createdAt", isISO8601), may("updatedAt", isISO8601)),
		object("lessThan", may("createdAt", isISO8601), may("updatedAt", isISO8601)))
	commandInput = &schema{fields: []field{must("command", isString, minLength(1))}}
)
