// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
)

// Login tries a user's e-mail and password and gives nil when they work; the session is not kept. IsUnauthorized
// tells that Takaro refused them; Takaro says so too while its identity service is down, so one refusal alone is
// no proof that a password which worked before was changed. An e-mail longer than 50 characters or a
// password outside 8..50 is IsTerminal.
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
		return c.unreadable(k, "no session in it")
	}
	return nil
}
