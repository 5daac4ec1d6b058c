// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// calls contains all requests that a client can send; true marks those that change something.
var calls = map[string]struct {
	changes bool
	send    func(context.Context, *Client) error
}{
	"CreateDomain": {true, func(ctx context.Context, c *Client) error {
		return second(c.CreateDomain(ctx, DomainInput{Name: "abc"}))
	}},
	"GetDomain":     {false, func(ctx context.Context, c *Client) error { return second(c.GetDomain(ctx, "d")) }},
	"UpdateDomain":  {true, func(ctx context.Context, c *Client) error { return second(c.UpdateDomain(ctx, "d", DomainUpdate{})) }},
	"DeleteDomain":  {true, func(ctx context.Context, c *Client) error { return c.DeleteDomain(ctx, "d", true) }},
	"SearchDomains": {false, func(ctx context.Context, c *Client) error { return second(c.SearchDomains(ctx, DomainSearch{})) }},
	"HasRootUser":   {false, func(ctx context.Context, c *Client) error { return second(c.HasRootUser(ctx, "d")) }},
	"Login":         {false, func(ctx context.Context, c *Client) error { return c.Login(ctx, "a@b.example", NewSecret("password")) }},
	"CreateUser": {true, func(ctx context.Context, c *Client) error {
		return second(c.CreateUser(ctx, "d", UserInput{Name: "abc"}))
	}},
	"GetUser":          {false, func(ctx context.Context, c *Client) error { return second(c.GetUser(ctx, "d", "u")) }},
	"SearchUsers":      {false, func(ctx context.Context, c *Client) error { return second(c.SearchUsers(ctx, "d")) }},
	"SearchRoles":      {false, func(ctx context.Context, c *Client) error { return second(c.SearchRoles(ctx, "d")) }},
	"UpdateUser":       {true, func(ctx context.Context, c *Client) error { return second(c.UpdateUser(ctx, "d", "u", UserUpdate{})) }},
	"DeleteUser":       {true, func(ctx context.Context, c *Client) error { return c.DeleteUser(ctx, "d", "u") }},
	"AssignRole":       {true, func(ctx context.Context, c *Client) error { return c.AssignRole(ctx, "d", "u", "r") }},
	"UnassignRole":     {true, func(ctx context.Context, c *Client) error { return c.UnassignRole(ctx, "d", "u", "r") }},
	"GetGameServer":    {false, func(ctx context.Context, c *Client) error { return second(c.GetGameServer(ctx, "d", "g")) }},
	"RenameGameServer": {true, func(ctx context.Context, c *Client) error { return second(c.RenameGameServer(ctx, "d", "g", "n", "i")) }},
	"DeleteGameServer": {true, func(ctx context.Context, c *Client) error { return c.DeleteGameServer(ctx, "d", "g") }},
	"NewestEvents": {false, func(ctx context.Context, c *Client) error {
		return second(c.NewestEvents(ctx, "d", []string{"g"}, time.Now(), 1))
	}},
	"SearchGameServers": {false, func(ctx context.Context, c *Client) error { return second(c.SearchGameServers(ctx, "d")) }},
}

func second[T any](_ T, err error) error { return err }

// TestGuarded checks that changes are sent only if the guard allows them, and reads are always sent.
func TestGuarded(t *testing.T) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			allowed, under := false, 0
			var changed []string
			s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
				if under > 0 {
					changed = append(changed, r.URL.Path)
				}
				if r.URL.Path == "/token" {
					reply(w, http.StatusOK, data(map[string]any{"token": "domain-token"}))
					return
				}
				reply(w, http.StatusBadRequest, failure("BadRequestError", "no"))
			})
			p := newTestPool(t, testOptions(newSkipClock()))
			c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken)})
			require.NoError(t, err)
			refused := errors.New("another installation writes there")
			guarded := c.Guarded(func() (func(), error) {
				if !allowed {
					return nil, refused
				}
				under++
				return func() { under-- }, nil
			})
			err = call.send(t.Context(), guarded)
			require.Equal(t, call.changes, errors.Is(err, refused), "%v", err)
			for _, sent := range s.requests() {
				require.False(t, call.changes && sent.Path != "/token", "nothing was sent: %s", sent.Path)
			}
			allowed = true
			require.NotErrorIs(t, call.send(t.Context(), guarded), refused)
			assert.Equal(t, call.changes, len(changed) == 1, "the guard is notified of the end of the request")
			assert.Zero(t, under)
			require.NotErrorIs(t, call.send(t.Context(), c), refused, "the client itself has no guard")
		})
	}
}

func TestUnlimited(t *testing.T) {
	clk := newSkipClock()
	o := testOptions(clk)
	o.QPS, o.Burst = 0.1, 1
	p := newTestPool(t, o)
	s := newServer(t, always(http.StatusOK, data([]any{})))
	c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken)})
	require.NoError(t, err)
	require.NoError(t, c.checkAdmin(t.Context()))
	require.NoError(t, c.Unlimited().checkAdmin(t.Context()))
	require.Empty(t, clk.waits())
	require.NoError(t, c.checkAdmin(t.Context()))
	require.NotEmpty(t, clk.waits(), "other clients still wait")
}
