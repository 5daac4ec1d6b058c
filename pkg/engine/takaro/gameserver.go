// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// GameServerTypeGeneric is the type of game servers that registered by themselves, mock servers among them.
const GameServerTypeGeneric = "GENERIC"

// GameServer is a game server record of a domain as the API gives it.
type GameServer struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	Type          string  `json:"type"`
	IdentityToken *string `json:"identityToken"`
	Reachable     bool    `json:"reachable"` // refreshed by Takaro about every 30 s
	Enabled       bool    `json:"enabled"`
}

// SearchGameServers gives all game servers of a domain by id. In a domain in maintenance, or disabled, Takaro refuses it
// with 400.
func (c *Client) SearchGameServers(ctx context.Context, domainID string) ([]GameServer, error) {
	return pager[GameServer]{
		client: c,
		call:   call{method: http.MethodPost, pattern: "/gameserver/search", auth: domainAuth, domainID: domainID, idempotent: true, reads: true},
		id:     func(s GameServer) string { return s.ID },
		budget: c.list(),
	}.all(ctx)
}

// RenameGameServer changes the display name of a game server that registered with identityToken. IsConflict means that
// the domain has one of that name.
func (c *Client) RenameGameServer(ctx context.Context, domainID, id, name, identityToken string) (*GameServer, error) {
	path, err := pathID(id)
	if err != nil {
		return nil, err
	}
	connection, err := json.Marshal(map[string]string{"identityToken": identityToken})
	if err != nil {
		return nil, fmt.Errorf("encoding the connection info: %w", err)
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

// DeleteGameServer removes a game server record, which counts against the domain's limit until then; IsNotFound when
// there is none.
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

// GetGameServer returns a game server of a domain by id, and an error that IsNotFound if there is none, also after its deletion.
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
