// SPDX-License-Identifier: Apache-2.0

package servertime

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// machines simulates the clocks of two machines, and the time that passes for both.
type machines struct {
	elapsed               time.Duration
	serverAhead, ourAhead time.Duration
	clock                 *Clock
}

func newMachines() *machines {
	m := &machines{}
	m.clock = newClock("roadstead.dev", func() time.Time { return start.Add(m.elapsed + m.ourAhead) },
		func() time.Duration { return m.elapsed })
	return m
}

// answer simulates a response of the API server, whose Date has a resolution of one second.
func (m *machines) answer() {
	m.clock.observe(start.Add(m.elapsed + m.serverAhead).Truncate(time.Second))
}

func (m *machines) trusted() bool {
	_, trusted := m.clock.Now()
	return trusted
}

func TestClock_IsUnknownBeforeTheFirstAnswer(t *testing.T) {
	m := newMachines()
	assert.False(t, m.trusted())
	m.answer()
	now, trusted := m.clock.Now()
	assert.True(t, trusted)
	assert.Equal(t, start, now)
	m.elapsed = 5 * time.Hour
	now, trusted = m.clock.Now()
	assert.True(t, trusted, "no new answer is needed while nothing ends")
	assert.Equal(t, start.Add(5*time.Hour), now)
}

func TestClock_JumpsEndNothing(t *testing.T) {
	for name, jump := range map[string]func(*machines){
		"of this machine, forward":    func(m *machines) { m.ourAhead = 400 * 24 * time.Hour },
		"of this machine, back":       func(m *machines) { m.ourAhead = -time.Hour },
		"of the API server, forward":  func(m *machines) { m.serverAhead = 400 * 24 * time.Hour },
		"of the API server, back":     func(m *machines) { m.serverAhead = -time.Hour },
		"of both, as on one machine":  func(m *machines) { m.ourAhead, m.serverAhead = time.Hour, time.Hour },
		"of both, by different times": func(m *machines) { m.ourAhead, m.serverAhead = time.Hour, 2*time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachines()
			m.answer()
			require.True(t, m.trusted())
			jump(m)
			m.answer()
			assert.False(t, m.trusted())
			m.ourAhead, m.serverAhead = 0, 0
			m.elapsed += time.Second
			m.answer()
			assert.False(t, m.trusted(), "corrected, which is a jump too")
			m.elapsed += settle
			m.answer()
			assert.True(t, m.trusted())
		})
	}
}

func TestClock_SmallCorrectionsAreNoJumps(t *testing.T) {
	m := newMachines()
	for range 100 {
		m.answer()
		require.True(t, m.trusted())
		m.elapsed += time.Minute
		m.ourAhead += 500 * time.Millisecond
		m.serverAhead += 500 * time.Millisecond
	}
	m.ourAhead += 2 * time.Minute
	for range 100 {
		m.elapsed += settle
		m.answer()
		require.False(t, m.trusted(), "clocks that stay apart")
	}
}

// TestClock_Law checks for arbitrary clock behavior that a trusted time differs from this machine's
// clock by no more than the tolerance, and that neither clock moved by more than that in the last
// ten minutes observed by the Clock.
func TestClock_Law(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachines()
		m.answer()
		quietSince := m.elapsed - settle
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			m.elapsed += time.Duration(rapid.IntRange(0, 300).Draw(t, "seconds")) * time.Second
			our, server := rapid.SampledFrom([]time.Duration{0, 0, 0, time.Hour, -time.Hour}).Draw(t, "our jump"),
				rapid.SampledFrom([]time.Duration{0, 0, 0, time.Hour}).Draw(t, "server's jump")
			m.ourAhead, m.serverAhead = m.ourAhead+our, m.serverAhead+server
			m.answer()
			if our != 0 || server != 0 {
				quietSince = m.elapsed
			}
			if m.trusted() {
				require.GreaterOrEqual(t, m.elapsed-quietSince, settle)
				require.Equal(t, m.ourAhead, m.serverAhead)
			}
		}
	})
}

func TestWrap_ReadsTheDateOfTheGroups(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(server.Close)
	clock := New("roadstead.dev")
	client := &http.Client{Transport: clock.Wrap(http.DefaultTransport)}
	get := func(path string) {
		response, err := client.Get(server.URL + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
	}
	for _, path := range []string{"/api/v1/namespaces", "/apis/apps/v1/deployments", "/apis/notroadstead.dev/v1/x"} {
		get(path)
		_, trusted := clock.Now()
		require.False(t, trusted, path)
	}
	status = http.StatusServiceUnavailable
	get("/apis/release.roadstead.dev/v1alpha1/approvals")
	_, trusted := clock.Now()
	require.False(t, trusted, "kube-apiserver answers when ours is unavailable")
	status = http.StatusOK
	get("/apis/release.roadstead.dev/v1alpha1/approvals")
	now, trusted := clock.Now()
	require.True(t, trusted)
	require.WithinDuration(t, time.Now(), now, 5*time.Second)
}
