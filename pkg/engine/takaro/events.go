// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"time"
)

// MaxEvents is the maximum number of events that NewestEvents returns.
const MaxEvents = searchPageSize

// GameEvents are the names of the events in a game that Takaro stores. Other events of a game server,
// such as those of cron jobs, are created by Takaro.
var GameEvents = []string{"chat-message", "player-connected", "player-disconnected", "player-death", "entity-killed"}

// Event is a stored event of a domain.
type Event struct {
	ID           string    `json:"id"`
	Name         string    `json:"eventName"`
	GameServerID string    `json:"gameserverId"`
	CreatedAt    time.Time `json:"createdAt"`
}

// eventQuery is the body of a search for events.
type eventQuery struct {
	query
	GreaterThan map[string]string `json:"greaterThan"`
}

// NewestEvents returns the newest GameEvents of the game servers since the given time, the newest
// first, and at most limit or MaxEvents. If it returns fewer, Takaro has no more.
func (c *Client) NewestEvents(ctx context.Context, domainID string, gameServers []string, since time.Time, limit int) ([]Event, error) {
	if len(gameServers) == 0 || limit <= 0 {
		return nil, nil // Takaro reads an empty filter as "all"
	}
	body := eventQuery{
		query: query{
			Filters: map[string][]string{"gameserverId": gameServers, "eventName": GameEvents},
			Limit:   min(limit, MaxEvents), SortBy: "createdAt", SortDir: "desc",
		},
		GreaterThan: map[string]string{"createdAt": since.UTC().Format(time.RFC3339)},
	}
	k := call{
		method: http.MethodPost, pattern: "/event/search", auth: domainAuth, domainID: domainID, body: body, idempotent: true, reads: true,
	}
	found := rows[Event]{max: body.Limit}
	if _, err := c.do(ctx, k, &found); err != nil {
		return nil, err
	}
	if found.more {
		return nil, c.unreadable(k, "more events than were requested")
	}
	return found.list, nil
}
