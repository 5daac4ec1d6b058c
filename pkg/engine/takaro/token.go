// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
)

// HasRootUser requests a new token from Takaro to find out whether the domain is complete: an interrupted create leaves
// a row without a root user, for which Takaro issues no token. False means that Takaro responded to three requests with
// its own 500. The response is the same if the domain does not exist or Takaro's identity service is unavailable, so it
// proves nothing about a domain that worked before.
func (c *Client) HasRootUser(ctx context.Context, domainID string) (bool, error) {
	if domainID == "" {
		return false, errNoDomainID
	}
	token, err := c.fetchToken(ctx, domainID)
	switch {
	case err == nil:
		c.tokens.put(domainID, token)
		return true, nil
	case noToken(err):
		c.tokens.failed(domainID, err)
		return false, nil
	}
	return false, err
}

// IssuesTokens is like HasRootUser, but uses a remembered failure. It is intended to check whether Takaro's identity
// service works, which many objects do at the same time. It proves nothing about a domain.
func (c *Client) IssuesTokens(ctx context.Context, domainID string) (bool, error) {
	if c.tokens.held(domainID) != nil {
		return false, nil
	}
	return c.HasRootUser(ctx, domainID)
}

// noToken reports whether Takaro responded that it issues no token.
func noToken(err error) bool {
	return takaroCode(err, http.StatusInternalServerError, "InternalServerError")
}

var errNoDomainID = &InputError{Message: "Takaro domain ID is empty: look up the domain again"}

func (c *Client) fetchToken(ctx context.Context, domainID string) (Secret, error) {
	k := call{
		method: http.MethodPost, pattern: "/token", auth: adminAuth, idempotent: true, reads: true, inputMakes500: true,
		body: struct {
			DomainID string `json:"domainId"`
		}{domainID},
	}
	var out struct {
		Token Secret `json:"token"`
	}
	if _, err := c.do(ctx, k, &out); err != nil {
		return Secret{}, err
	}
	if checkToken(out.Token.Reveal()) != nil {
		return Secret{}, c.unreadable(k, "no usable token in the response")
	}
	c.endpoint.pool.metrics.tokenRenewals.WithLabelValues(c.endpoint.label).Inc()
	return out.Token, nil
}
