// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
)

// Login verifies a user's e-mail and password; the session is not kept. IsUnauthorized means that Takaro rejected them.
// Takaro returns the same response while its identity service is unavailable, so a single rejection does not prove that
// a password that worked before was changed. An e-mail longer than 50 characters, or a password with fewer than 8 or more
// than 50 characters, results in an IsTerminal error.
func (c *Client) Login(ctx context.Context, email string, password Secret) error {
	k := call{
		method: http.MethodPost, pattern: "/login", auth: noAuth, idempotent: true, reads: true, secrets: []string{password.Reveal()},
		body: struct {
			Username string `json:"username"`
			Password string `json:"password"`
		}{email, password.Reveal()},
	}
	var out struct {
		Token Secret `json:"token"`
	}
	if _, err := c.do(ctx, k, &out); err != nil {
		return err
	}
	if out.Token.IsEmpty() {
		return c.unreadable(k, "no session in the response")
	}
	return nil
}
