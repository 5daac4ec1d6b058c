// SPDX-License-Identifier: Apache-2.0

package takaro

import "strings"

// Kinds of ids, for Server.newID.
const (
	kindDomain     = "domain"
	kindUser       = "user"
	kindRole       = "role"
	kindGameServer = "gameserver"
	kindIdentity   = "identity"
	kindOther      = "other"
)

// States of a domain, as the API spells them.
const (
	StateActive      = "ACTIVE"
	StateDisabled    = "DISABLED"
	StateMaintenance = "MAINTENANCE"
)

// state is everything that the stand-in stores. Server.mu guards it.
type state struct {
	domains    map[string]*domain
	references map[string]string    // externalReference → domain id: the UNIQUE column
	identities map[string]*identity // by lower-case e-mail: shared by all domains, outlives them
	identityID map[string]*identity // the same ones by id
	sessions   map[string]*identity // by session token
	usedIDs    map[string]bool      // all domain ids ever generated, so that root e-mails are never reused
	catalogue  []permission
}

type domain struct {
	id, name, state   string
	reference         *string
	registrationToken string
	limits            map[string]int // by API field name, see limitDefaults
	created, updated  string
	roles             []*role
	users             map[string]*user
	servers           map[string]*gameServer
	deleted           map[string]*gameServer // soft-deleted: only their names count, see Realism.SoftDelete
	settings          map[settingKey]string
	events            []*storedEvent // the newest last; never changed
}

type user struct {
	id, name, idpID            string
	dashboard                  bool
	created, updated, lastSeen string
	assignments                []*assignment
}

type assignment struct {
	id, created, updated string
	expires              *string
	role                 *role
}

type role struct {
	id, name         string
	system           bool
	created, updated string
	permissions      []rolePermission
}

type rolePermission struct {
	id, created, updated string
	permission           permission
}

type permission struct {
	id, name, friendly, description, created string
}

// gameServer is a record in a domain. The field reachable is what Takaro stores and returns;
// connected is whether there is a live connection, which a reachability check uses.
type gameServer struct {
	id, name, kind       string
	identityToken        *string
	info                 map[string]any
	sealed               []int // what a search shows instead of info
	reachable, connected bool
	dialed               bool // connected over the connector, not by ConnectGameServer
	enabled              bool
	created, updated     string
}

// identity is an Ory Kratos identity: one per e-mail over all domains. An identity with an empty
// password cannot log in.
type identity struct {
	id, email, password string
}

type settingKey struct{ gameServerID, key string }

func newState(now string) *state {
	return &state{
		domains: map[string]*domain{}, references: map[string]string{}, identities: map[string]*identity{}, identityID: map[string]*identity{},
		sessions: map[string]*identity{}, usedIDs: map[string]bool{}, catalogue: newCatalogue(now),
	}
}

// identityFor returns the identity of an e-mail and creates it with the password if none exists. An
// existing identity keeps its password and the case of its e-mail: the real API ignores the new
// password silently.
func (s *Server) identityFor(email, password string) *identity {
	key := strings.ToLower(email)
	if i, ok := s.state.identities[key]; ok {
		return i
	}
	i := &identity{id: s.newID(kindIdentity, key), email: email, password: password}
	s.state.identities[key], s.state.identityID[i.id] = i, i
	return i
}
