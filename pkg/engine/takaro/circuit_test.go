// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
)

const patience = 10 * time.Second

// outage returns a server that is unavailable while its flag is set, and a client that opens its circuit after 2 failures.
func outage(t *testing.T) (*server, *atomic.Bool, *Pool, *Client, *clocktesting.FakeClock) {
	t.Helper()
	down := &atomic.Bool{}
	down.Store(true)
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, _ string) {
		if down.Load() {
			reply(w, 503, htmlPage)
			return
		}
		reply(w, 200, data([]any{}))
	})
	clk := clocktesting.NewFakeClock(time.Now())
	o := testOptions(clk)
	o.FailureThreshold = 2
	p := newTestPool(t, o)
	return s, down, p, clientOf(t, p, s.URL), clk
}

func create(c *Client) error {
	_, err := c.CreateDomain(context.Background(), DomainInput{Name: "abc"})
	return err
}

func TestCircuitOpensProbesAndCloses(t *testing.T) {
	s, down, p, c, clk := outage(t)
	closed := make(chan Key, 10)
	cancel := p.OnCircuitClosed(func(key Key) { closed <- key })
	defer cancel()

	require.False(t, IsCircuitOpen(create(c)))
	require.False(t, IsCircuitOpen(create(c)))
	err := create(c)
	require.True(t, IsCircuitOpen(err), "%v", err)
	assert.False(t, IsUnclear(err) || IsTerminal(err))
	after, ok := RetryAfter(err)
	assert.True(t, ok)
	assert.Equal(t, 15*time.Second, after)
	require.Len(t, s.requests(), 2)
	open, until := c.endpoint.breaker.state()
	assert.True(t, open)
	assert.Equal(t, clk.Now().Add(15*time.Second), until)
	gauge := p.metrics.circuitOpen.WithLabelValues(c.endpoint.host, "installation")
	assert.InDelta(t, 1, testutil.ToFloat64(gauge), 0)

	// Each interval has one probe, regardless of other requests.
	for probes := 1; probes <= 3; probes++ {
		require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
		clk.Step(15*time.Second - time.Millisecond)
		var open *CircuitOpenError
		require.ErrorAs(t, create(c), &open)
		require.Equal(t, time.Duration(probes)*15*time.Second-time.Millisecond, open.For)
		require.Len(t, s.requests(), 1+probes)
		clk.Step(time.Millisecond)
		require.Eventually(t, func() bool { return len(s.requests()) == 2+probes }, patience, time.Millisecond)
		require.Eventually(t, func() bool { _, u := c.endpoint.breaker.state(); return u.After(clk.Now()) }, patience, time.Millisecond)
	}
	probe := s.requests()[2]
	assert.Equal(t, "/domain/search", probe.Path)
	assert.JSONEq(t, `{"limit":1}`, probe.Body)
	assert.Empty(t, closed)

	down.Store(false)
	require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
	clk.Step(15 * time.Second)
	assert.Equal(t, c.endpoint.key, <-closed)
	open, _ = c.endpoint.breaker.state()
	assert.False(t, open)
	assert.InDelta(t, 0, testutil.ToFloat64(gauge), 0)
	require.NoError(t, c.checkAdmin(context.Background()))

	// The circuit opens again only after the same number of new failures.
	down.Store(true)
	require.False(t, IsCircuitOpen(create(c)))
	require.False(t, IsCircuitOpen(create(c)))
	require.True(t, IsCircuitOpen(create(c)))
}

func TestCancelledSubscriptionIsNotCalled(t *testing.T) {
	_, down, p, c, clk := outage(t)
	var called atomic.Bool
	p.OnCircuitClosed(func(Key) { called.Store(true) })()
	closed := make(chan Key, 1)
	defer p.OnCircuitClosed(func(key Key) { closed <- key })()
	_, _ = create(c), create(c)
	down.Store(false)
	require.Eventually(t, clk.HasWaiters, patience, time.Millisecond)
	clk.Step(15 * time.Second)
	<-closed
	assert.False(t, called.Load())
}

func TestDroppedEndpointNotifiesSubscribers(t *testing.T) {
	s, _, p, c, _ := outage(t)
	closed := make(chan Key, 1)
	defer p.OnCircuitClosed(func(key Key) { closed <- key })()
	_, _ = create(c), create(c)
	p.Close()
	assert.Equal(t, c.endpoint.key, <-closed)
	assert.Len(t, s.requests(), 2)
	_, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken)})
	assert.ErrorContains(t, err, "closed")
}

func TestRetriesStopWhenTheCircuitOpens(t *testing.T) {
	s := newServer(t, always(502, htmlPage))
	o := testOptions(&stubbornClock{skipClock: newSkipClock()})
	o.FailureThreshold, o.ProbeInterval = 2, time.Hour
	err := clientOf(t, newTestPool(t, o), s.URL).checkAdmin(context.Background())
	assert.True(t, IsUnclear(err) && !IsCircuitOpen(err), "%v", err)
	assert.Len(t, s.requests(), 2)
}

func TestCircuit_NeutralOutcomes(t *testing.T) {
	for _, status := range []int{301, 400, 401, 403, 404, 409, 422, 429} {
		s := newServer(t, always(status, failure("SomeError", "x")))
		o := testOptions(newSkipClock())
		o.FailureThreshold = 2
		p := newTestPool(t, o)
		c := clientOf(t, p, s.URL)
		for range 5 {
			require.False(t, IsCircuitOpen(create(c)), status)
		}
	}
	// Canceled requests and addresses that must not be dialed are neutral, too.
	s := newServer(t, func(_ int, _ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
	o := testOptions(newSkipClock())
	o.FailureThreshold = 2
	p := newTestPool(t, o)
	c := clientOf(t, p, s.URL)
	for i := range 4 {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- c.checkAdmin(ctx) }()
		require.Eventually(t, func() bool { return len(s.requests()) > i }, patience, time.Millisecond)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
	open, _ := c.endpoint.breaker.state()
	assert.False(t, open)
}

func TestConnectionErrorsAndTimeoutsOpenTheCircuit(t *testing.T) {
	slow := newServer(t, func(_ int, _ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
	gone := newServer(t, always(200, ""))
	gone.Close()
	for _, url := range []string{slow.URL, gone.URL} {
		o := testOptions(clocktesting.NewFakeClock(time.Now()))
		o.FailureThreshold, o.Timeout = 2, 100*time.Millisecond
		c := clientOf(t, newTestPool(t, o), url)
		c.tokens.put("d", NewSecret(jwt(0, 1<<32, 0)))
		createUser := func() error {
			_, err := c.CreateUser(context.Background(), "d", UserInput{})
			return err
		}
		require.False(t, IsCircuitOpen(createUser()))
		require.False(t, IsCircuitOpen(createUser()))
		require.True(t, IsCircuitOpen(createUser()), url)
	}
}

// TestBreakerModel checks that the breaker is open if and only if the last threshold outcomes, not counting
// neutral ones, were failures.
func TestBreakerModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		threshold := rapid.IntRange(1, 4).Draw(rt, "threshold")
		clk := clocktesting.NewFakePassiveClock(time.Now())
		b := &breaker{clock: clk, threshold: threshold, interval: time.Second}
		inARow := 0
		for _, o := range rapid.SliceOf(rapid.SampledFrom([]outcome{neutral, alive, failing})).Draw(rt, "outcomes") {
			opened := b.record(o)
			switch o {
			case alive:
				inARow = 0
			case failing:
				inARow++
			case neutral:
			}
			require.Equal(rt, inARow >= threshold, opened)
			require.Equal(rt, opened, b.allow() != nil)
			if opened {
				require.False(rt, b.record(alive), "late responses do not count")
				after, _ := RetryAfter(b.allow())
				require.Equal(rt, time.Second, after)
				clk.SetTime(clk.Now().Add(time.Minute)) // the probe is late
				after, _ = RetryAfter(b.allow())
				require.Equal(rt, time.Second, after)
				for _, o := range rapid.SliceOf(rapid.SampledFrom([]outcome{neutral, failing})).Draw(rt, "probes") {
					require.False(rt, b.recordProbe(o, errTimeout))
					require.Error(rt, b.allow())
				}
				require.True(rt, b.recordProbe(alive, nil))
				require.NoError(rt, b.allow())
				inARow = 0
			}
		}
	})
}

// stubbornClock ends short waits immediately, like skipClock, and never ends long ones.
type stubbornClock struct{ *skipClock }

func (c *stubbornClock) NewTimer(d time.Duration) clock.Timer {
	if d > time.Minute {
		return c.FakeClock.NewTimer(100 * 365 * 24 * time.Hour)
	}
	return c.skipClock.NewTimer(d)
}
