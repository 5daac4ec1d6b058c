// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPace_SharedRate(t *testing.T) {
	s := newServer(t, always(200, data([]any{})))
	clk := newSkipClock()
	o := testOptions(clk)
	o.QPS, o.Burst = 10, 20
	p := newTestPool(t, o)
	tenant := func(token string) *Client {
		c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(token), Own: true})
		require.NoError(t, err)
		return c
	}
	first, second := tenant("one"), tenant("two")
	start := clk.Now()
	for range 10 {
		require.NoError(t, first.Pace(t.Context(), 5))
		require.NoError(t, second.Pace(t.Context(), 5))
	}
	assert.InDelta(t, 19*200*time.Millisecond, clk.Now().Sub(start), float64(10*time.Millisecond), "20 at 5/s, for all callers together")

	before := clk.Now()
	require.NoError(t, first.checkAdmin(t.Context()))
	assert.Equal(t, before, clk.Now(), "other requests do not wait for comparisons")
	require.NoError(t, clientOf(t, p, s.URL).Pace(t.Context(), 5))
	assert.Equal(t, before, clk.Now(), "the installation has its own rate")
}

func TestPaceEndsWithItsContext(t *testing.T) {
	p := newTestPool(t, testOptions(newSkipClock()))
	c := clientOf(t, p, "https://one.example")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.Pace(ctx, 5), context.Canceled)
	require.NoError(t, c.Pace(t.Context(), 5), "an unused reservation is returned")
}
