// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"net/url"
)

// CreateDomain creates a domain; the caller must hold a CreateSlot. The request is sent once and
// waits for the response for Options.CreateTimeout. After an error for which IsUnclear returns true,
// search for the reference (and for a root user) before any other call. IsConflict means that the
// externalReference is already in use.
func (c *Client) CreateDomain(ctx context.Context, in DomainInput) (*CreatedDomain, error) {
	k := call{method: http.MethodPost, pattern: "/domain", auth: adminAuth, body: in, inputMakes500: true, slow: true}
	var out CreatedDomain
	if _, err := c.do(ctx, k, &out); err != nil {
		return nil, err
	}
	if out.Domain.ID == "" || out.Password.IsEmpty() || out.RootUser.Email == "" {
		return nil, c.unreadable(k, "a domain without id, root user or password")
	}
	return &out, nil
}

// GetDomain returns the domain with the Takaro ID, which is not an externalReference. It returns an error for which
// IsNotFound returns true if the domain does not exist. A softly deleted domain exists with state DISABLED.
func (c *Client) GetDomain(ctx context.Context, id string) (*Domain, error) {
	return c.oneDomain(ctx, call{method: http.MethodGet}, id)
}

// UpdateDomain changes the fields that are set in u and returns the updated domain. Errors include IsNotFound and
// IsConflict.
func (c *Client) UpdateDomain(ctx context.Context, id string, u DomainUpdate) (*Domain, error) {
	return c.oneDomain(ctx, call{method: http.MethodPut, body: u, inputMakes500: true}, id)
}

func (c *Client) oneDomain(ctx context.Context, k call, id string) (*Domain, error) {
	escaped, err := pathID(id)
	if err != nil {
		return nil, err
	}
	k.pattern, k.path, k.auth, k.idempotent = "/domain/:id", "/domain/"+escaped, adminAuth, true
	var out Domain
	if _, err := c.do(ctx, k, &out); err != nil {
		return nil, err
	}
	if out.ID != id {
		return nil, c.unreadable(k, "another domain than requested")
	}
	return &out, nil
}

// DeleteDomain deletes a domain. A hard deletion removes the row and everything in it, after which the reference is available
// again; a repeated call returns an IsNotFound error, also if an earlier attempt of the same call deleted the domain. A
// soft deletion removes the game servers; the domain becomes DISABLED and keeps its reference, and a repeated call
// returns nil.
func (c *Client) DeleteDomain(ctx context.Context, id string, hard bool) error {
	escaped, err := pathID(id)
	if err != nil {
		return err
	}
	k := call{method: http.MethodDelete, pattern: "/domain/:id", path: "/domain/" + escaped, auth: adminAuth, idempotent: true}
	if hard {
		k.query = url.Values{"hardDelete": {"true"}}
	}
	_, err = c.do(ctx, k, nil)
	if hard {
		c.tokens.forget(id)
	}
	return err
}
