// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
)

// firstDatabase is the name of the database that a new server uses.
const firstDatabase = "main"

// ErrNoSuchSnapshot is returned for the name of a snapshot that was never taken.
var ErrNoSuchSnapshot = errors.New("the Takaro stand-in has no such snapshot")

// databases are the copies of the state that the API does not currently serve. Server.mu guards
// them.
type databases struct {
	current   string
	parked    map[string]*state // by the name of the database
	snapshots map[string]*state
}

// SaveSnapshot stores a copy of the current database under a name and replaces an earlier one of
// that name. The snapshot includes the identities. It does not include faults, counts, connections
// and the admin token, which belong to the running server.
func (s *Server) SaveSnapshot(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.databases.snapshots[name] = s.state.clone()
}

// RestoreSnapshot replaces the content of the current database with a copy of a snapshot, as the
// restore of a backup does: what was created since is lost, what was deleted since exists again. A
// snapshot may be restored any number of times. Connections of game servers stay open.
//
// Real identities live in the database of Ory Kratos, which may be restored together with Takaro's
// or not: keepIdentities leaves identities, passwords and sessions as they are.
func (s *Server) RestoreSnapshot(name string, keepIdentities bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved := s.databases.snapshots[name]
	if saved == nil {
		return fmt.Errorf("restore snapshot %q: %w", name, ErrNoSuchSnapshot)
	}
	s.serve(saved.clone(), keepIdentities)
	return nil
}

// SwapDatabase serves another database from now on and returns the name of the former one, which is
// kept. The first database is called main. A name that was never used gets an empty database; an
// empty name stands for a new, empty database with a generated name. keepIdentities is as for
// RestoreSnapshot.
func (s *Server) SwapDatabase(name string, keepIdentities bool) (former, current string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if former = s.databases.current; name == former {
		return former, former
	}
	if name == "" {
		name = "database-" + randomHex(4)
	}
	next := s.databases.parked[name]
	if next == nil {
		next = newState(s.timestamp())
	}
	delete(s.databases.parked, name)
	s.databases.parked[former], s.databases.current = s.state, name
	s.serve(next, keepIdentities)
	return former, name
}

// EmptyDatabase removes all content of the current database. keepIdentities is as for
// RestoreSnapshot.
func (s *Server) EmptyDatabase(keepIdentities bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serve(newState(s.timestamp()), keepIdentities)
}

// serve makes next the current state. The caller holds the lock. Ids of domains stay reserved
// across databases, so that a new domain never has an id that another database contains.
func (s *Server) serve(next *state, keepIdentities bool) {
	former := s.state
	next.usedIDs = former.usedIDs
	if keepIdentities {
		next.identities, next.identityID, next.sessions = former.identities, former.identityID, former.sessions
	}
	for _, d := range next.domains {
		for _, g := range d.servers {
			g.connected = s.stillConnected(former, d, g)
		}
	}
	s.state = next
}

// stillConnected reports whether a game server has a connection. It ignores the restored state
// because no database stores connections. The last known value counts only for ConnectGameServer,
// which opens no connection.
func (s *Server) stillConnected(former *state, d *domain, g *gameServer) bool {
	if s.connector.byServer[g.id] != nil || g.dialed {
		return s.connector.byServer[g.id] != nil
	}
	if was := former.domains[d.id]; was != nil && was.servers[g.id] != nil {
		return was.servers[g.id].connected
	}
	return g.connected
}
