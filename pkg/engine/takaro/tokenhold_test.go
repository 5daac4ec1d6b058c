// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTokenRequestsWhileTheIdentityServiceIsDown checks that all objects of a domain together send only a few token
// requests per minute while Takaro's identity service is unavailable. Takaro then issues no tokens and responds to each
// request with its own 500.
func TestTokenRequestsWhileTheIdentityServiceIsDown(t *testing.T) {
	down := true
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		switch {
		case r.URL.Path != "/token":
			reply(w, 200, data([]any{}))
		case down:
			reply(w, 500, failure("InternalServerError", "x"))
		default:
			reply(w, 200, data(map[string]any{"token": jwt(1, 2000, 3)}))
		}
	})
	clk := newSkipClock()
	c, ctx := clientOf(t, newTestPool(t, testOptions(clk)), s.URL), context.Background()
	const domains, objects, minutes = 3, 20, 10
	begin := clk.Now()
	for clk.Since(begin) < minutes*time.Minute {
		for object := range objects {
			domain := fmt.Sprint("domain-", object%domains)
			_, err := c.SearchUsers(ctx, domain)
			require.True(t, noToken(err), "%v", err)
			works, err := c.IssuesTokens(ctx, domain)
			require.NoError(t, err)
			require.False(t, works)
		}
		clk.Step(time.Second)
	}
	sent := len(s.requests())
	assert.LessOrEqual(t, sent, domains*maxAttempts*(maxHolds+1+minutes*60/32), "three attempts per half minute and domain")
	assert.Greater(t, sent, domains*minutes)

	down = false
	clk.Step(32 * time.Second)
	for domain := range domains {
		_, err := c.SearchUsers(ctx, fmt.Sprint("domain-", domain))
		require.NoError(t, err, "the recovery is detected within half a minute")
	}
	// The next failure starts with a short wait again.
	e := c.tokens.entry("domain-0")
	e.set(Secret{}, clk.Now())
	down = true
	_, err := c.SearchUsers(ctx, "domain-0")
	require.True(t, noToken(err))
	assert.Equal(t, time.Second, e.retryAt.Sub(clk.Now()))
}
