// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"slices"
	"time"
)

// Realism enables behavior of a real Takaro 0.4.11 that the stand-in does not have by default. Each
// field describes the observation that it follows. The zero value keeps the defaults.
type Realism struct {
	// SoftDelete makes DELETE /gameserver/:id, and the deletion of all game servers of a domain, a
	// soft delete. No response shows the record any more and it does not count against
	// maxGameservers, but its name stays in use: POST and PUT /gameserver answer 409, and so does
	// the connector to an identity of that name. The session stays open. A purge releases the name:
	// immediately for the first delete in a domain; a later one waits for the hourly round while
	// the purge of the same domain is among the last ten jobs, whose id is a hash of their data. A
	// hard delete of the domain releases all names.
	SoftDelete bool `json:"softDelete"`
	// ConnectorSync makes the connector forget, every SyncInterval of Options.Now, game servers
	// whose domain is not ACTIVE, that are not enabled and reachable at that moment, or whose list
	// it cannot fetch. It then refuses their events, while requests to them, reachability checks
	// and reachable work as before. Only a new identify message ends this state.
	ConnectorSync bool `json:"connectorSync"`
	// ListArrays makes Takaro request the lists of a game server that has identified. Each answer
	// must be an array. Any other value is a 400 there and is counted in ConnectorCounts.Lists.
	ListArrays bool `json:"listArrays"`
}

// FullRealism returns a Realism with all switches on.
func FullRealism() Realism {
	return Realism{SoftDelete: true, ConnectorSync: true, ListArrays: true}
}

// The intervals of Takaro's periodic jobs. A real purge was observed to take from 47 min to nearly
// two hours.
const (
	SyncInterval  = 5 * time.Minute
	PurgeInterval = time.Hour
)

// keptJobs is how many finished system jobs the real queue remembers.
const keptJobs = 10

// rounds is the state of Takaro's periodic jobs. Server.mu guards it.
type rounds struct {
	synced, purged time.Time
	jobs           []string // ids of the domains of the latest purges, oldest first
}

// Realism returns the switches.
func (s *Server) Realism() Realism {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.realism
}

// SetRealism sets all switches. The intervals of rounds that are switched on begin now. Switching
// SoftDelete off releases all names.
func (s *Server) SetRealism(r Realism) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	now := s.opts.Now()
	if r.ConnectorSync && !s.realism.ConnectorSync {
		s.rounds.synced = now
	}
	if r.SoftDelete && !s.realism.SoftDelete {
		s.rounds.purged, s.rounds.jobs = now, nil
	}
	if !r.SoftDelete {
		s.purge()
	}
	s.realism = r
}

// AdvanceClock moves the clock of the server, which tokens, timestamps and rounds use, and runs the
// rounds that are due. A negative duration moves it back.
func (s *Server) AdvanceClock(by time.Duration) {
	s.offset.Add(int64(by))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
}

// catchUp runs the rounds that are due. The caller holds the lock. It is called first for every
// request, message and change of the clock, so that a round sees the state of the time at which it
// was due.
func (s *Server) catchUp() {
	if s.realism == (Realism{}) {
		return
	}
	now := s.opts.Now()
	if s.realism.ConnectorSync && due(&s.rounds.synced, now, SyncInterval) {
		s.syncConnector(s.faults.hideLists())
	}
	if s.realism.SoftDelete && due(&s.rounds.purged, now, PurgeInterval) {
		s.purge()
	}
}

// due reports whether an interval has passed since the last round, and advances last to the latest
// one. A clock that moved back begins a new interval.
func due(last *time.Time, now time.Time, interval time.Duration) bool {
	passed := now.Sub(*last)
	if passed < 0 {
		*last = now
	}
	if passed < interval {
		return false
	}
	*last = last.Add(passed.Truncate(interval))
	return true
}

// softDelete hides a game server and purges those of its domain, unless the queue drops that job.
func (s *Server) softDelete(d *domain, servers ...*gameServer) {
	if d.deleted == nil {
		d.deleted = map[string]*gameServer{}
	}
	for _, g := range servers {
		delete(d.servers, g.id)
		d.deleted[g.id] = g
	}
	if slices.Contains(s.rounds.jobs, d.id) {
		return
	}
	d.deleted = nil
	s.rounds.jobs = append(s.rounds.jobs, d.id)
	s.rounds.jobs = s.rounds.jobs[max(len(s.rounds.jobs)-keptJobs, 0):]
}

// PurgeGameServers runs the hourly round now: it removes soft-deleted game servers and returns the
// number of removed records.
func (s *Server) PurgeGameServers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.purge()
}

func (s *Server) purge() (n int) {
	for _, d := range s.state.domains {
		n += len(d.deleted)
		d.deleted = nil
	}
	return n
}
