// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

// tokenServer returns a new token with the given lifetime for each request.
func tokenServer(t *testing.T, life time.Duration) *server {
	return newServer(t, func(n int, w http.ResponseWriter, _ *http.Request, _ string) {
		// The server's clock is years behind the local one.
		reply(w, 200, data(map[string]string{"token": jwt(1000, 1000+int64(life/time.Second), n)}))
	})
}

func TestDomainTokenIsRenewedAtFourFifthsOfItsLife(t *testing.T) {
	for _, life := range []time.Duration{time.Hour, 5 * 24 * time.Hour, 24 * 24 * time.Hour} {
		s := tokenServer(t, life)
		clk := clocktesting.NewFakeClock(time.Now())
		c, ctx := clientOf(t, newTestPool(t, testOptions(clk)), s.URL), context.Background()
		first, err := c.domainToken(ctx, "a-b-c")
		require.NoError(t, err)
		clk.Step(life*4/5 - time.Second)
		again, err := c.domainToken(ctx, "a-b-c")
		require.NoError(t, err)
		assert.True(t, first.Equal(again))
		clk.Step(time.Second)
		renewed, err := c.domainToken(ctx, "a-b-c")
		require.NoError(t, err)
		assert.False(t, first.Equal(renewed))
		assert.Len(t, s.requests(), 2)
		assert.JSONEq(t, `{"domainId":"a-b-c"}`, s.requests()[0].Body)
		assert.Equal(t, testToken, s.requests()[0].Header.Get("X-Takaro-Admin-Token"))
	}
}

func TestConcurrentCallersShareOneRenewal(t *testing.T) {
	s := tokenServer(t, time.Hour)
	c := newTestClient(t, s.URL)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := c.domainToken(context.Background(), "a-b-c")
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Len(t, s.requests(), 1)
	_, err := c.domainToken(context.Background(), "other-domain")
	require.NoError(t, err)
	assert.Len(t, s.requests(), 2)
}

func TestTokenCache_WaitHonorsContext(t *testing.T) {
	hold := make(chan struct{})
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) {
		<-hold
		reply(w, 200, data(map[string]string{"token": jwt(1, 1000, 0)}))
	})
	c := newTestClient(t, s.URL)
	done := make(chan error, 1)
	go func() { _, err := c.domainToken(context.Background(), "a-b-c"); done <- err }()
	require.Eventually(t, func() bool { return len(s.requests()) == 1 }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := c.domainToken(ctx, "a-b-c")
	require.ErrorIs(t, err, context.Canceled)
	close(hold)
	require.NoError(t, <-done)
}

// domainCall is an example of a domain-scoped method.
func domainCall(c *Client) error {
	k := call{method: http.MethodPost, pattern: "/role/search", auth: domainAuth, domainID: "a-b-c", idempotent: true, body: struct{}{}}
	var out []struct{}
	_, err := c.do(context.Background(), k, &out)
	return err
}

func TestRejectedDomainTokenIsRenewedOnce(t *testing.T) {
	for _, status := range []int{401, 403} {
		good := jwt(1, 100_000, 2)
		tokens := 0
		s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
			switch {
			case r.URL.Path == "/token":
				tokens++
				reply(w, 200, data(map[string]string{"token": jwt(1, 100_000, tokens)}))
			case r.Header.Get("X-Takaro-Token") == good:
				reply(w, 200, data([]any{}))
			default:
				reply(w, status, failure("ForbiddenError", "Forbidden"))
			}
		})
		c := newTestClient(t, s.URL)
		require.NoError(t, domainCall(c))
		require.NoError(t, domainCall(c))
		assert.Len(t, s.requests(), 5, "token, refused, token, accepted, accepted")
		for _, r := range s.requests() {
			if r.Path == "/role/search" {
				assert.Empty(t, r.Header.Get("X-Takaro-Admin-Token"), "a domain call does not send the admin token")
			}
		}
	}
}

func TestRejectedDomainToken_AfterRenewal(t *testing.T) {
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Path == "/token" {
			reply(w, 200, data(map[string]string{"token": jwt(1, 100_000, n)}))
			return
		}
		reply(w, 401, failure("UnauthorizedError", "Not authorized"))
	})
	assert.True(t, IsUnauthorized(domainCall(newTestClient(t, s.URL))))
	assert.Len(t, s.requests(), 4)
}

func TestHasRootUser(t *testing.T) {
	answers := map[string]string{
		"whole": data(map[string]string{"token": jwt(1, 100_000, 1)}), "half": failure("InternalServerError", "Internal server error"),
		"proxy": htmlPage,
	}
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, body string) {
		switch body {
		case `{"domainId":"whole"}`:
			reply(w, 200, answers["whole"])
		case `{"domainId":"half"}`:
			reply(w, 500, answers["half"])
		default:
			reply(w, 500, answers["proxy"])
		}
	})
	o := testOptions(newSkipClock())
	o.FailureThreshold = 4
	p := newTestPool(t, o)
	c, ctx := clientOf(t, p, s.URL), context.Background()
	ok, err := c.HasRootUser(ctx, "whole")
	require.NoError(t, err)
	assert.True(t, ok)
	_, err = c.domainToken(ctx, "whole")
	require.NoError(t, err)
	assert.Len(t, s.requests(), 1, "the token is cached")
	for range 5 {
		ok, err = c.HasRootUser(ctx, "half")
		require.NoError(t, err)
		assert.False(t, ok)
	}
	open, _ := c.endpoint.breaker.state()
	assert.False(t, open, "an incomplete domain does not open the circuit")
	_, err = c.domainToken(ctx, "half")
	assert.True(t, IsUnclear(err), "%v", err)
	_, err = c.HasRootUser(ctx, "proxy")
	assert.True(t, IsForeign(err), "%v", err)
	_, err = c.HasRootUser(ctx, "")
	assert.True(t, IsTerminal(err))
}

func TestHardDeleteForgetsTheToken(t *testing.T) {
	s := tokenServer(t, time.Hour)
	c, ctx := newTestClient(t, s.URL), context.Background()
	_, err := c.domainToken(ctx, "a-b-c")
	require.NoError(t, err)
	require.NoError(t, c.DeleteDomain(ctx, "a-b-c", true))
	_, err = c.domainToken(ctx, "a-b-c")
	require.NoError(t, err)
	assert.Len(t, s.requests(), 3)
}

func TestTokenCacheIsBounded(t *testing.T) {
	cache := newTokenCache(clocktesting.NewFakePassiveClock(time.Now()), time.Second)
	for i := range maxCachedTokens + 100 {
		cache.put(time.Duration(i).String(), NewSecret("x"))
	}
	assert.Len(t, cache.entries, maxCachedTokens)
}

func TestLifetime(t *testing.T) {
	for token, want := range map[string]time.Duration{
		jwt(1795816870, 1796248870, 1): 5 * 24 * time.Hour, jwt(10, 11, 1): time.Second,
		jwt(10, 10, 1): 0, jwt(11, 10, 1): 0, jwt(0, 10, 1): 0, "": 0, "a.b": 0, "a.b.c": 0, "a.!!.c": 0, "a.e30.c": 0,
		jwt(1, 1<<62, 1): 100 * 365 * 24 * time.Hour,
	} {
		assert.Equal(t, want, lifetime(token), token)
	}
}

func TestOpaqueTokenIsCachedForAMinute(t *testing.T) {
	s := newServer(t, always(200, data(map[string]string{"token": "opaque"})))
	clk := clocktesting.NewFakeClock(time.Now())
	c := clientOf(t, newTestPool(t, testOptions(clk)), s.URL)
	for range 3 {
		_, err := c.domainToken(context.Background(), "a-b-c")
		require.NoError(t, err)
		clk.Step(30 * time.Second)
	}
	assert.Len(t, s.requests(), 2)
}
