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

// areMissed covers k/k#141318 and k/k#81310: the duration of failures when a replica disappears
// without closing its connections. The aggregation layer holds one HTTP/2 connection and detects
// its loss by an HTTP/2 ping after at most 30 + 15 seconds.
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

// silence drops the packets of the replica that serves the requests and returns for how long
// requests fail.
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

// throughput returns the reads per second of eight clients that send requests without a pause.
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

// patience is the client timeout for a response in these tests.
const patience = 2 * time.Second

// disturb returns for how long requests failed after a fault, including the duration of the last
// failure. fault returns the time of the fault and whether it is permanent. A temporary fault is
// repeated until requests fail, because the traffic may have moved to another replica.
func disturb(t *testing.T, u *framework.User, fault func() (time.Time, bool)) time.Duration {
	t.Helper()
	l := newLoad(t, u.Config, patience)
	// The number of workers is sufficient to send requests continuously even if some of them hang.
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
	// The disturbance is over when no request has failed for a while.
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

// lastFailure returns the time at which the last failed request ended, or begin if none failed.
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

// busiest returns the replica to which the aggregation layer currently sends requests.
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
