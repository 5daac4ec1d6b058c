// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestCreateSlotsOfAnEndpoint(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	p := newTestPool(t, testOptions(clk))
	ctx := context.Background()
	c := clientOf(t, p, "https://takaro.example")
	var releases []func()
	for range createSlots {
		release, err := c.CreateSlot(ctx)
		require.NoError(t, err)
		releases = append(releases, release)
	}
	_, err := c.CreateSlot(ctx)
	require.ErrorIs(t, err, ErrNoSlot)

	other, err := p.Client(Endpoint{URL: "https://takaro.example", AdminToken: NewSecret("another-token")})
	require.NoError(t, err)
	_, err = other.CreateSlot(ctx)
	require.NoError(t, err, "another token has its own slots")

	// The pool does not drop the client meanwhile, because a new one would have three more slots.
	clk.Step(2 * time.Hour)
	p.opts.MaxClients = 1
	clientOf(t, p, "https://unrelated.example")
	require.Same(t, c, clientOf(t, p, "https://takaro.example"))

	releases[0]()
	releases[0]()
	_, err = c.CreateSlot(ctx)
	require.NoError(t, err)
	_, err = c.CreateSlot(ctx)
	require.ErrorIs(t, err, ErrNoSlot, "a slot that is released twice becomes available once")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	releases[1]()
	_, err = c.CreateSlot(ended)
	require.ErrorIs(t, err, context.Canceled)
}

// TestCreateDomain_SlowResponse checks that a create that takes longer than other requests completes, counts
// once for the rate limit and is not repeated.
func TestCreateDomain_SlowResponse(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		select {
		case <-time.After(300 * time.Millisecond):
			reply(w, 200, wireCreated("a-b-c", ""))
		case <-r.Context().Done():
		}
	})
	o := testOptions(clocktesting.NewFakeClock(time.Now()))
	o.Timeout, o.FailureThreshold, o.Burst = 100*time.Millisecond, 1, 5
	c := clientOf(t, newTestPool(t, o), s.URL)
	require.NoError(t, create(c))
	assert.Len(t, s.requests(), 1)
	assert.InDelta(t, 4, c.endpoint.limiter.bucket.TokensAt(o.Clock.Now()), 0.001)
	assert.Equal(t, 3*time.Minute, c.endpoint.pool.opts.CreateTimeout)

	c.tokens.put("d", NewSecret(jwt(0, 1<<32, 0)))
	_, err := c.CreateUser(context.Background(), "d", UserInput{})
	require.ErrorIs(t, err, errTimeout, "other requests have the usual time-out")
}

func TestCreateDomain_SlowResponsesAreNeutral(t *testing.T) {
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	begun := func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, `{"meta":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, c := range map[string]struct {
		answer   func(http.ResponseWriter, *http.Request)
		deadline time.Duration // of the caller
		opens    bool
	}{
		"no response in time":         {never, time.Minute, false},
		"incomplete response in time": {begun, time.Minute, false},
		"deadline of the caller":      {never, 50 * time.Millisecond, false},
		"time-out of a proxy":         {func(w http.ResponseWriter, _ *http.Request) { reply(w, 504, htmlPage) }, time.Minute, false},
		"no Takaro behind a proxy":    {func(w http.ResponseWriter, _ *http.Request) { reply(w, 502, htmlPage) }, time.Minute, true},
		"dropped before the time-out": {func(w http.ResponseWriter, _ *http.Request) { drop(w) }, time.Minute, true},
	} {
		s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
			if strings.HasSuffix(r.URL.Path, "/search") {
				reply(w, 502, htmlPage)
				return
			}
			c.answer(w, r)
		})
		o := testOptions(clocktesting.NewFakeClock(time.Now()))
		o.CreateTimeout, o.FailureThreshold = 150*time.Millisecond, 2
		client := clientOf(t, newTestPool(t, o), s.URL)
		var err error
		for range 3 {
			ctx, cancel := context.WithTimeout(context.Background(), c.deadline)
			_, err = client.CreateDomain(ctx, DomainInput{Name: "abc"})
			cancel()
		}
		assert.Equal(t, c.opens, IsCircuitOpen(err), "%s: %v", name, err)
		assert.Equal(t, !c.opens, IsUnclear(err), "%s: %v", name, err)
		assert.False(t, errors.Is(err, ErrNoSlot), name)
	}
}
