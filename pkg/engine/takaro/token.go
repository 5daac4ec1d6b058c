// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
)

// HasRootUser asks Takaro for a new token and so tells whether the domain is whole: a create that broke off leaves
// a row without a root user, which gives no token. false means that three requests in a row were answered with
// Takaro's own 500; it looks the same when the domain does not exist or when Takaro's identity service is down, so
// it proves nothing about a domain that has worked before.
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

// IssuesTokens is HasRootUser from memory while a failure is remembered. It is for the question whether Takaro's
// identity service works, which many objects have at the same time; it proves nothing about a domain.
func (c *Client) IssuesTokens(ctx context.Context, domainID string) (bool, error) {
	if c.tokens.held(domainID) != nil {
		return false, nil
	}
	return c.HasRootUser(ctx, domainID)
}

// noToken reports whether Takaro itself answered that it issues no token.
func noToken(err error) bool {
	return takaroCode(err, http.StatusInternalServerError, "InternalServerError")
}

var errNoDomainID = &InputError{Message: "the Takaro domain id is empty: look the domain up again"}

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
		return Secret{}, c.unreadable(k, "no usable token in it")
	}
	c.endpoint.pool.metrics.tokenRenewals.WithLabelValues(c.endpoint.label).Inc()
	return out.Token, nil
}
