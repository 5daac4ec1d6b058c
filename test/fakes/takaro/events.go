// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"slices"
)

// keptEvents is how many events of a domain the stand-in stores.
const keptEvents = 1000

// storedEvents maps the type of a game event to the name under which Takaro stores it. Takaro does
// not store types without a name here, such as movements and items.
var storedEvents = map[string]string{
	"chatMessage": "chat-message", "connection": "player-connected", "death": "player-death", "kill": "entity-killed",
	"chat-message": "chat-message", "player-connected": "player-connected", "player-disconnected": "player-disconnected",
	"player-death": "player-death", "entity-killed": "entity-killed",
}

// storedEvent is a row of a domain's events.
type storedEvent struct{ id, name, serverID, created string }

func (e *storedEvent) column(name string) (any, bool) {
	switch name {
	case "id":
		return e.id, true
	case "eventName":
		return e.name, true
	case "gameserverId":
		return e.serverID, true
	case "createdAt", "updatedAt":
		return e.created, true
	}
	return nil, false
}

// eventView is an event as a search shows it, without the fields that only real events have.
type eventView struct {
	CreatedAt    string `json:"createdAt"`
	UpdatedAt    string `json:"updatedAt"`
	ID           string `json:"id"`
	EventName    string `json:"eventName"`
	GameServerID string `json:"gameserverId"`
}

func searchEvents(_ *Server, r *request) reply {
	found, total, e := find(slices.Clone(r.domain.events), r)
	if e != nil {
		return fail(e)
	}
	views := make([]eventView, 0, len(found))
	for _, event := range found {
		views = append(views, eventView{CreatedAt: event.created, UpdatedAt: event.created, ID: event.id, EventName: event.name,
			GameServerID: event.serverID})
	}
	return okPage(views, r.page, total)
}

// PlantEvent stores an event of a game server with the current time, under a name that Takaro uses.
func (s *Server) PlantEvent(domainID, gameServerID, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.domains[domainID]
	if d == nil || d.servers[gameServerID] == nil {
		return ErrNoSuchObject
	}
	s.storeEvent(d, gameServerID, name)
	return nil
}

// storeEvent stores an event; the caller holds the lock.
func (s *Server) storeEvent(d *domain, gameServerID, name string) {
	d.events = append(d.events, &storedEvent{id: s.newID(kindOther, name), name: name, serverID: gameServerID, created: s.timestamp()})
	d.events = d.events[max(len(d.events)-keptEvents, 0):]
}

// eventName returns the name under which the event of a message is stored, or "" if it is not
// stored.
func eventName(payload json.RawMessage) string {
	var event struct{ Type string }
	_ = json.Unmarshal(payload, &event) // a payload that is not an object has no type
	return storedEvents[event.Type]
}
