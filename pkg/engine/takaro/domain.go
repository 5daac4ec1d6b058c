// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"net/url"
)

// CreateDomain creates a domain; the caller has a CreateSlot. The request is sent once and waits
// for its answer for Options.CreateTimeout: after an error that IsUnclear, look for the reference
// (and for a root user) before anything else. IsConflict means that the externalReference is
// already in use.
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

// GetDomain gives the domain with that Takaro id (an externalReference is not one); IsNotFound when there is none.
// A softly deleted domain is still there, as DISABLED.
func (c *Client) GetDomain(ctx context.Context, id string) (*Domain, error) {
	return c.oneDomain(ctx, call{method: http.MethodGet}, id)
}

// UpdateDomain changes what is set in u and gives the domain as it is then; IsNotFound, IsConflict.
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
		return nil, c.unreadable(k, "another domain than asked for")
	}
	return &out, nil
}

// DeleteDomain removes a domain. Hard: the row and all in it are gone and the reference is free again; a repeat is
// IsNotFound, also when an attempt before it, in the same call, did the work. Soft: its game servers go, it
// becomes DISABLED and keeps its reference; a repeat is nil.
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
