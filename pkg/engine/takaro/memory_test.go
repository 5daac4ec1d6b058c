// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// large returns a server whose responses count for the memory limit.
func large(t *testing.T) *server {
	t.Helper()
	return newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		filler := strings.Repeat(" ", 2*uncounted)
		if r.Method == http.MethodGet {
			filler = ""
		}
		reply(w, 200, `{"meta":{},"data":`+filler+`[{"id":"a"}]}`)
	})
}

func TestMemoryIsReleased(t *testing.T) {
	s := large(t)
	p := newTestPool(t, testOptions(newSkipClock()))
	c := clientFor(t, p, s.URL, true)
	for range 3 {
		_, err := c.SearchDomains(t.Context(), DomainSearch{})
		require.NoError(t, err)
		_, err = c.GetDomain(t.Context(), "a")
		require.Error(t, err, "a list is not a domain")
		require.True(t, p.memory.own.TryAcquire(decodeBytes), "nothing is held")
		p.memory.own.Release(decodeBytes)
	}
}

// TestLargeAnswersWaitForMemory checks that responses for tenants that occupy all their memory delay neither
// responses for the installation nor small responses.
func TestLargeAnswersWaitForMemory(t *testing.T) {
	s := large(t)
	o := testOptions(newSkipClock())
	o.Timeout, o.FailureThreshold = 100*time.Millisecond, 1
	p := newTestPool(t, o)
	own, installed := clientFor(t, p, s.URL, true), clientFor(t, p, s.URL, false)
	require.True(t, p.memory.own.TryAcquire(decodeBytes))

	_, err := own.SearchDomains(t.Context(), DomainSearch{})
	var limited *RateLimitedError
	require.ErrorAs(t, err, &limited)
	assert.True(t, limited.Memory)
	after, known := RetryAfter(err)
	assert.True(t, known)
	assert.Equal(t, busyWait, after)
	require.NoError(t, own.endpoint.breaker.allow(), "the endpoint works")
	_, err = own.GetDomain(t.Context(), "a")
	require.True(t, IsForeign(err), "it was read: %v", err)
	_, err = installed.SearchDomains(t.Context(), DomainSearch{})
	require.NoError(t, err)

	p.memory.own.Release(decodeBytes)
	_, err = own.SearchDomains(t.Context(), DomainSearch{})
	require.NoError(t, err)
}

// TestCreate_UnreadResponseIsUnclear checks that a create whose response was not read is unclear, because it may
// have been processed.
func TestCreate_UnreadResponseIsUnclear(t *testing.T) {
	s := large(t)
	o := testOptions(newSkipClock())
	o.CreateTimeout = 50 * time.Millisecond
	p := newTestPool(t, o)
	c := clientFor(t, p, s.URL, true)
	require.NoError(t, p.memory.own.Acquire(context.Background(), decodeBytes))
	_, err := c.CreateDomain(t.Context(), DomainInput{Name: "abc"})
	require.ErrorIs(t, err, errBusy)
	require.True(t, IsUnclear(err))
	require.Len(t, s.requests(), 1)
}
