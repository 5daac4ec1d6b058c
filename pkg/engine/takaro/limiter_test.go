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
	"golang.org/x/time/rate"
	clocktesting "k8s.io/utils/clock/testing"
)

// TestRateLimit_Keys checks that each key of the installation has its own rate. Keys of tenants share one for each
// host, so that additional credentials do not increase the rate.
func TestRateLimit_Keys(t *testing.T) {
	s := newServer(t, always(200, data([]any{})))
	clk := newSkipClock()
	o := testOptions(clk)
	o.QPS, o.Burst = 10, 3
	p := newTestPool(t, o)
	client := func(url, token string, own bool) *Client {
		c, err := p.Client(Endpoint{URL: url, AdminToken: NewSecret(token), Own: own})
		require.NoError(t, err)
		return c
	}
	took := func(n int, clients ...*Client) time.Duration {
		start := clk.Now()
		for i := range n {
			require.NoError(t, clients[i%len(clients)].checkAdmin(t.Context()))
		}
		return clk.Now().Sub(start)
	}
	const tolerance = float64(5 * time.Millisecond)
	tenants := []*Client{client(s.URL, "a", true), client(s.URL, "b", true)}
	assert.InDelta(t, 500*time.Millisecond, took(8, tenants...), tolerance, "3 at once, then 5 at 10/s")
	installed := client(s.URL, "a", false)
	assert.Zero(t, took(3, installed), "tenants do not use the rate of the installation")
	assert.Zero(t, took(3, client(s.URL, "c", false)), "another token of the installation")
	second := newServer(t, always(200, data([]any{})))
	assert.Zero(t, took(3, client(second.URL, "a", true)), "another host")

	tenants[0].endpoint.limiter.pause(time.Minute)
	assert.Less(t, took(1, tenants[1]), time.Second, "a pause of one key does not affect other keys")
}

func TestWaitRespectsTheContext(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	l := &limiter{clock: clk, host: "h", maxWait: time.Minute, bucket: rate.NewLimiter(0.1, 1)}
	require.NoError(t, l.wait(context.Background()))

	ctx, cancel := context.WithDeadline(context.Background(), clk.Now().Add(5*time.Second))
	defer cancel()
	var limited *RateLimitedError
	require.ErrorAs(t, l.wait(ctx), &limited)
	assert.InDelta(t, 10*time.Second, limited.After, float64(time.Millisecond))
	assert.Contains(t, limited.Error(), "wait for 10s")

	ctx, cancel = context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.wait(ctx) }()
	require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)

	// An unused reservation is returned: the next request waits for 10 s, not for 30.
	go func() { done <- l.wait(context.Background()) }()
	require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
	clk.Step(10*time.Second + time.Millisecond)
	require.NoError(t, <-done)
}

func TestRetryAfterPausesTheKey(t *testing.T) {
	for name, header := range map[string]func(now time.Time) string{
		"seconds": func(time.Time) string { return "7" },
		"date":    func(now time.Time) string { return now.Add(7 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		for _, status := range []int{429, 503} {
			clk := newSkipClock()
			s := newServer(t, func(n int, w http.ResponseWriter, _ *http.Request, _ string) {
				if n == 1 {
					w.Header().Set("Retry-After", header(clk.Now()))
					reply(w, status, htmlPage)
					return
				}
				reply(w, 200, data([]any{}))
			})
			c := clientOf(t, newTestPool(t, testOptions(clk)), s.URL)
			err := c.checkAdmin(context.Background())
			after, ok := RetryAfter(err)
			require.True(t, ok, "%v", err)
			assert.InDelta(t, 7*time.Second, after, float64(time.Second), name)
			assert.Len(t, s.requests(), 1, "no attempt during the pause")
			start := clk.Now()
			require.NoError(t, c.checkAdmin(context.Background()))
			assert.InDelta(t, 7*time.Second, clk.Now().Sub(start), float64(time.Second), name)
		}
	}
}

func TestLongPausesFailImmediately(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Retry-After", "600")
		reply(w, 429, htmlPage)
	})
	clk := clocktesting.NewFakeClock(time.Now())
	c := clientOf(t, newTestPool(t, testOptions(clk)), s.URL)
	require.Error(t, c.checkAdmin(context.Background()))
	clk.Step(time.Minute)
	err := c.checkAdmin(context.Background())
	after, ok := RetryAfter(err)
	assert.True(t, ok)
	assert.Equal(t, 9*time.Minute, after)
	assert.False(t, IsUnclear(err) || IsTerminal(err) || IsCircuitOpen(err))
	assert.Len(t, s.requests(), 1)
}

func TestLimiter_NoBurstAfterPause(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	l := &limiter{clock: clk, host: "h", maxWait: time.Hour, bucket: rate.NewLimiter(1, 2)}
	l.pause(10 * time.Second)
	l.pause(time.Second) // does not shorten it
	var (
		mu    sync.Mutex
		ended int
		wg    sync.WaitGroup
	)
	for range 5 {
		wg.Go(func() {
			assert.NoError(t, l.wait(context.Background()))
			mu.Lock()
			ended++
			mu.Unlock()
		})
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return ended }
	require.Eventually(t, func() bool { return clk.Waiters() == 5 }, patience, time.Millisecond)
	clk.Step(10 * time.Second)
	require.Eventually(t, func() bool { return count() == 2 && clk.Waiters() == 3 }, patience, time.Millisecond)
	clk.Step(3 * time.Second)
	wg.Wait()
	assert.Equal(t, 5, count())
}

func TestRetryAfterHeader(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, " 3 ": 3 * time.Second, "-1": 0, "x": 0, "1.5": 0, "999999": time.Hour, "99999999999999": 0,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Fri, 02 Jan 2026 03:04:04 GMT": 0, "Fri, 02 Jan 2099 03:04:04 GMT": time.Hour,
	} {
		assert.Equal(t, want, retryAfter(http.Header{"Retry-After": {value}}, now), value)
	}
}
