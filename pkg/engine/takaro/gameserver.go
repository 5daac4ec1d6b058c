// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// GameServerTypeGeneric is the type of game servers that registered themselves, including mock servers.
const GameServerTypeGeneric = "GENERIC"

// GameServer is a game server record of a domain in Takaro's API.
type GameServer struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Type          string  `json:"type"`
	IdentityToken *string `json:"identityToken"`
	Reachable     bool    `json:"reachable"` // refreshed by Takaro about every 30 s
	Enabled       bool    `json:"enabled"`
}

// SearchGameServers returns all game servers of a domain, sorted by ID. Takaro returns 400 for a domain that is disabled
// or in maintenance.
func (c *Client) SearchGameServers(ctx context.Context, domainID string) ([]GameServer, error) {
	return pager[GameServer]{
		client: c,
		call:   call{method: http.MethodPost, pattern: "/gameserver/search", auth: domainAuth, domainID: domainID, idempotent: true, reads: true},
		id:     func(s GameServer) string { return s.ID },
		budget: c.list(),
	}.all(ctx)
}

// RenameGameServer changes the display name of a game server that registered with identityToken. IsConflict means that
// the domain already has a game server with that name.
func (c *Client) RenameGameServer(ctx context.Context, domainID, id, name, identityToken string) (*GameServer, error) {
	path, err := pathID(id)
	if err != nil {
		return nil, err
	}
	connection, err := json.Marshal(map[string]string{"identityToken": identityToken})
	if err != nil {
		return nil, fmt.Errorf("encode connection info: %w", err)
	}
	var out GameServer
	_, err = c.do(ctx, call{
		method: http.MethodPut, pattern: "/gameserver/:id", path: "/gameserver/" + path, auth: domainAuth, domainID: domainID,
		body:       map[string]string{"name": name, "type": GameServerTypeGeneric, "connectionInfo": string(connection)},
		idempotent: true,
	}, &out)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// DeleteGameServer deletes a game server record, which counts towards the domain's limit. It returns an IsNotFound error
// if the record does not exist.
func (c *Client) DeleteGameServer(ctx context.Context, domainID, id string) error {
	path, err := pathID(id)
	if err != nil {
		return err
	}
	_, err = c.do(ctx, call{
		method: http.MethodDelete, pattern: "/gameserver/:id", path: "/gameserver/" + path, auth: domainAuth,
		domainID: domainID, idempotent: true,
	}, nil)
	return err
}

// GetGameServer returns a game server of a domain by ID. It returns an IsNotFound error if it does not exist or was deleted.
func (c *Client) GetGameServer(ctx context.Context, domainID, id string) (*GameServer, error) {
	path, err := pathID(id)
	if err != nil {
		return nil, err
	}
	k := call{
		method: http.MethodGet, pattern: "/gameserver/:id", path: "/gameserver/" + path, auth: domainAuth, domainID: domainID, idempotent: true,
	}
	var out GameServer
	if _, err := c.do(ctx, k, &out); err != nil {
		return nil, err
	}
	if out.ID != id {
		return nil, c.unreadable(k, "a game server with another id")
	}
	return &out, nil
}
