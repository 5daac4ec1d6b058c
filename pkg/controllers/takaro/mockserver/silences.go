// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// silencePeriod is the time between searches for the events of a MockServer.
	silencePeriod = 5 * time.Minute
	// silenceLimit is how long a running simulation may produce no event. At its slowest, the
	// rarest kind of event happens every two minutes, if a player is online.
	silenceLimit = 10 * time.Minute
	// mostSilence is the maximum time between restarts that do not result in events.
	mostSilence = 6 * time.Hour
	// maxEventSearches limits the requests of one search for one MockServer. One request is
	// sufficient if every game server has events and all have about the same number.
	maxEventSearches = 8
)

// silences records which game servers are reachable but send no events to Takaro: its connector may
// forget connected game servers, and recognizes them only after they register again.
type silences struct {
	clock clock.PassiveClock

	mu       sync.Mutex
	searched map[types.UID]time.Time
	silent   map[string]*quiet
}

// quiet is a game server without events.
type quiet struct {
	due   bool // a search found no event since the last restart
	tries int
	last  time.Time
}

func newSilences(clock clock.PassiveClock) *silences {
	return &silences{clock: clock, searched: map[types.UID]time.Time{}, silent: map[string]*quiet{}}
}

// begin reports whether a search for the MockServer is due, and records it.
func (s *silences) begin(server types.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.searched[server]
	if known && s.clock.Since(last) < silencePeriod {
		return false
	}
	s.searched[server] = s.clock.Now()
	return true
}

// found records whether a game server had an event.
func (s *silences) found(id string, event bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if event {
		delete(s.silent, id)
		return
	}
	if s.silent[id] == nil {
		s.silent[id] = &quiet{}
	}
	s.silent[id].due = true
}

// due reports whether the pod of a game server must be restarted because no event was received from
// it.
func (s *silences) due(id string, p pod) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.silent[id]
	if known == nil || !known.due || !p.up || p.leaving {
		return false
	}
	patience := min(silenceLimit<<min(known.tries, 10), mostSilence)
	return s.clock.Since(p.made) >= silenceLimit && s.clock.Since(p.started) >= silenceLimit && s.clock.Since(known.last) >= patience
}

// restarted records that the pod of a game server was restarted.
func (s *silences) restarted(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.silent[id]; known != nil {
		known.due, known.last = false, s.clock.Now()
		known.tries++
	}
}

// forget removes the state of a game server.
func (s *silences) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.silent, id)
}

// retain removes the state of MockServers that no longer exist.
func (s *silences) retain(servers map[types.UID]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.searched, func(server types.UID, _ time.Time) bool { return !servers[server] })
}

// simulates reports whether a MockServer's pods produce events that Takaro stores.
func simulates(spec *v1alpha1.MockServerSpec) bool {
	often := &spec.SimulationFrequencies
	return ptr.Deref(spec.AutoStart, true) && ptr.Deref(spec.TotalPlayers, 0) > 0 && ptr.Deref(spec.Replicas, 1) > 0 &&
		ptr.Deref(often.Chat, 0)+ptr.Deref(often.Connection, 0)+ptr.Deref(often.Death, 0)+ptr.Deref(often.Kill, 0) > 0
}

// findSilent searches for the newest events of a MockServer's game servers, and reports whether one
// of them has none.
func (w *watch) findSilent(ctx context.Context, at parts.Place, takaroClient *takaro.Client, server *v1alpha1.MockServer,
	list []takaro.GameServer) (bool, error) {
	if !simulates(&server.Spec) || !w.Fulfilled(server) || !w.silences.begin(server.UID) {
		return false, nil
	}
	unseen := map[string]bool{}
	for ordinal, record := range recordsOf(server, list) {
		if ordinal < replicasOf(server) && record.Reachable {
			unseen[record.ID] = true
		}
	}
	since := w.Clock.Now().Add(-silenceLimit)
	for range maxEventSearches {
		if len(unseen) == 0 {
			return false, nil
		}
		if err := takaroClient.Pace(ctx, w.CompareQPS()); err != nil {
			return false, err
		}
		limit := min(len(unseen), takaro.MaxEvents)
		events, err := takaroClient.NewestEvents(ctx, at.DomainID, slices.Sorted(maps.Keys(unseen)), since, limit)
		if err != nil {
			return false, err
		}
		for _, event := range events {
			delete(unseen, event.GameServerID)
			w.silences.found(event.GameServerID, true)
		}
		if len(events) < limit { // the result is complete
			for id := range unseen {
				w.silences.found(id, false)
			}
			return len(unseen) > 0, nil
		}
	}
	return false, nil // the others had too many events; the search is repeated later
}
