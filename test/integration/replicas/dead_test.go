// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package replicas

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// areMissed is k/k#141318 and k/k#81310: how long requests fail when a replica goes without a word. The aggregation layer
// holds one HTTP/2 connection and notices its death by a ping of its own after 30 + 15 seconds at most.
func areMissed(t *testing.T) {
	u := editor(t)
	t.Run("by its process", func(t *testing.T) {
		var victim *install.Program
		window := disturb(t, u, func() (time.Time, bool) {
			victim = busiest(t, u)
			begin := time.Now()
			require.NoError(t, victim.Kill())
			return begin, true
		})
		require.LessOrEqual(t, window, 5*time.Second)
		require.NoError(t, victim.Start(t.Context()))
		awaitReady(t, 3)
	})
	t.Run("by its network", func(t *testing.T) {
		window := silence(t, u)
		require.LessOrEqual(t, window, 47*time.Second, "45 seconds and one more request")
		awaitReady(t, 3)
	})
	t.Run("by its network, with HTTP/1.1", func(t *testing.T) {
		old := running()
		t.Logf("with HTTP/2: %.0f requests/s", throughput(t, u))
		for range 2 {
			_, err := env.Roadstead.AddAPIServer(t.Context(), "--disable-http2-serving")
			require.NoError(t, err)
		}
		awaitReady(t, len(old)+2)
		for _, server := range old {
			require.NoError(t, server.Stop())
		}
		awaitReady(t, 2)
		t.Logf("with HTTP/1.1: %.0f requests/s", throughput(t, u))
		require.LessOrEqual(t, silence(t, u), 5*time.Second)
	})
}

// silence drops the packets of the replica that answers, and gives for how long requests fail.
func silence(t *testing.T, u *framework.User) time.Duration {
	t.Helper()
	var victim *install.Program
	defer func() { service.Silence(victim.Address(), false) }()
	window := disturb(t, u, func() (time.Time, bool) {
		if victim != nil {
			service.Silence(victim.Address(), false)
		}
		victim = busiest(t, u)
		service.Silence(victim.Address(), true)
		return time.Now(), false
	})
	require.NotZero(t, window, "the silence was felt")
	return window
}

// throughput gives how many reads a second eight clients get answered that ask without a pause.
func throughput(t *testing.T, u *framework.User) float64 {
	t.Helper()
	const span = 5 * time.Second
	l := newLoad(t, u.Config, 10*time.Second)
	l.start(8, 0, func(int, int) []operation {
		return []operation{{method: http.MethodGet, path: framework.DomainsPath(u.Namespace), code: http.StatusOK}}
	})
	wait(t, span)
	l.faultless(t, 100)
	answered, _ := l.result()
	return float64(answered) / span.Seconds()
}

// patience is how long a client of these tests waits for an answer.
const patience = 2 * time.Second

// disturb gives how long requests failed after a fault, the last failure's own time included. The fault
// tells when it was done, and whether it is done for good: else it is tried again while it is not felt, since the traffic
// may have moved on in the moment before.
func disturb(t *testing.T, u *framework.User, fault func() (time.Time, bool)) time.Duration {
	t.Helper()
	l := newLoad(t, u.Config, patience)
	// As many workers as it takes that requests are sent all the time though some of them hang.
	l.start(20, time.Second, func(int, int) []operation {
		return []operation{{method: http.MethodGet, path: framework.DomainsPath(u.Namespace), code: http.StatusOK}}
	})
	wait(t, 2*time.Second)
	var begin time.Time
	for try := range 5 {
		var final bool
		begin, final = fault()
		wait(t, patience+time.Second)
		if final || lastFailure(l, begin).After(begin) {
			break
		}
		t.Logf("try %d was not felt", try+1)
	}
	// The end of the disturbance: nothing failed for a while.
	framework.AwaitFor(t, 2*time.Minute, "requests to be answered again", func() error {
		if since := time.Since(lastFailure(l, begin)); since < 5*time.Second {
			return fmt.Errorf("the last failure was %s ago", since)
		}
		return nil
	})
	l.end()
	answered, failures := l.result()
	window := lastFailure(l, begin).Sub(begin)
	t.Logf("%d requests answered, %d failed within %.1f s", answered, len(failures), window.Seconds())
	if len(failures) > 0 {
		t.Logf("the first: %v; the last: %v", failures[0], failures[len(failures)-1])
	}
	return window
}

// lastFailure gives when the last failed request ended, begin when none failed.
func lastFailure(l *load, begin time.Time) time.Time {
	_, failures := l.result()
	last := begin
	for _, f := range failures {
		if end := f.sent.Add(f.took); end.After(last) {
			last = end
		}
	}
	return last
}

// busiest gives the replica to which the aggregation layer sends requests now.
func busiest(t *testing.T, u *framework.User) *install.Program {
	t.Helper()
	before := map[string]float64{}
	for _, server := range running() {
		before[server.Name()] = served(t, server.Address())
	}
	for range 20 {
		alive(t, u)
	}
	var most *install.Program
	var highest float64
	for _, server := range running() {
		if count := served(t, server.Address()) - before[server.Name()]; count > highest {
			most, highest = server, count
		}
	}
	require.NotNil(t, most)
	return most
}

func awaitReady(t *testing.T, want int) {
	t.Helper()
	framework.Await(t, fmt.Sprintf("%d replicas in the Service", want), func() error {
		if ready := service.Ready(); len(ready) != want {
			return fmt.Errorf("ready are %s", strings.Join(ready, ", "))
		}
		return nil
	})
}
