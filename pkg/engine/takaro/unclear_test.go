// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failures are failures after a request was received.
var failures = map[string]func(w http.ResponseWriter, r *http.Request){
	"500":        func(w http.ResponseWriter, _ *http.Request) { reply(w, 500, failure("InternalServerError", "x")) },
	"502 page":   func(w http.ResponseWriter, _ *http.Request) { reply(w, 502, htmlPage) },
	"dropped":    func(w http.ResponseWriter, _ *http.Request) { drop(w) },
	"unreadable": func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, htmlPage) },
	"cut short": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		reply(w, 200, `{"meta":`)
	},
	"timeout": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"slow body": func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, `{"meta":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	},
}

func TestCreateIsSentOnceAndUnclear(t *testing.T) {
	for name, fail := range failures {
		s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) { fail(w, r) })
		o := testOptions(newSkipClock())
		o.CreateTimeout = 300 * time.Millisecond
		_, err := clientOf(t, newTestPool(t, o), s.URL).CreateDomain(context.Background(), DomainInput{Name: "abc"})
		assert.True(t, IsUnclear(err), "%s: %v", name, err)
		assert.False(t, IsTerminal(err), name)
		assert.Len(t, s.requests(), 1, name)
	}
}

// TestCreateOverAStaleConnectionIsSentOnce checks that a create is not repeated on a connection that the server closed
// while it was idle, which is the usual cause of an unnoticed second POST.
func TestCreateOverAStaleConnectionIsSentOnce(t *testing.T) {
	s := newServer(t, func(n int, w http.ResponseWriter, _ *http.Request, _ string) {
		if n == 1 {
			reply(w, 200, data([]any{}))
			return
		}
		drop(w)
	})
	c := newTestClient(t, s.URL)
	require.NoError(t, c.checkAdmin(context.Background()))
	_, err := c.CreateDomain(context.Background(), DomainInput{Name: "abc"})
	assert.True(t, IsUnclear(err), "%v", err)
	assert.Len(t, s.requests(), 2)
}

func TestCreateConflictIsNotUnclear(t *testing.T) {
	s := newServer(t, always(409, failure("ConflictError", "Unique constraint violation")))
	_, err := newTestClient(t, s.URL).CreateDomain(context.Background(), DomainInput{Name: "abc"})
	assert.True(t, IsConflict(err) && !IsUnclear(err), "%v", err)

	gone := newServer(t, always(200, ""))
	gone.Close()
	_, err = newTestClient(t, gone.URL).CreateDomain(context.Background(), DomainInput{Name: "abc"})
	require.Error(t, err)
	assert.False(t, IsUnclear(err) || IsTerminal(err), "%v", err)
}

func TestCreateAnswersWithoutPasswordAreUnclear(t *testing.T) {
	s := newServer(t, always(200, data(map[string]any{"createdDomain": wireDomain("a-b-c", "")})))
	_, err := newTestClient(t, s.URL).CreateDomain(context.Background(), DomainInput{Name: "abc"})
	assert.True(t, IsUnclear(err), "%v", err)
}

func TestIdempotentCallsAreSentThreeTimes(t *testing.T) {
	for name, fail := range failures {
		if name == "timeout" || name == "slow body" {
			continue // the same path as "dropped", with real waiting
		}
		for _, bad := range []int{2, 3} {
			s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, _ string) {
				if n <= bad {
					fail(w, r)
					return
				}
				reply(w, 200, data(wireDomain("a-b-c", "")))
			})
			clk := newSkipClock()
			_, err := clientOf(t, newTestPool(t, testOptions(clk)), s.URL).GetDomain(context.Background(), "a-b-c")
			if name == "unreadable" { // another server responded: a retry does not help
				assert.Error(t, err)
				assert.Len(t, s.requests(), 1)
				continue
			}
			assert.Equal(t, bad == 3, err != nil, "%s: %v", name, err)
			assert.Len(t, s.requests(), 3, name)
			waits := clk.waits()
			require.Len(t, waits, 2)
			assert.InDelta(t, retryBase, waits[0], float64(retryBase/2)+1)
			assert.InDelta(t, 4*retryBase, waits[1], float64(2*retryBase)+1)
		}
	}
}

func TestNonRetryableStatuses(t *testing.T) {
	for _, status := range []int{301, 400, 401, 403, 404, 409, 422, 429} {
		s := newServer(t, always(status, failure("SomeError", "x")))
		_, err := newTestClient(t, s.URL).GetDomain(context.Background(), "a-b-c")
		assert.Error(t, err)
		assert.Len(t, s.requests(), 1, status)
	}
}

func TestContextIsHonored(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newServer(t, func(_ int, _ http.ResponseWriter, r *http.Request, _ string) {
		cancel()
		<-r.Context().Done()
	})
	c := newTestClient(t, s.URL)
	_, err := c.CreateDomain(ctx, DomainInput{Name: "abc"})
	require.ErrorIs(t, err, context.Canceled)
	assert.True(t, IsUnclear(err), "the request had been sent")

	_, err = c.CreateDomain(ctx, DomainInput{Name: "abc"})
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, IsUnclear(err), "the request was never sent")
	assert.Len(t, s.requests(), 1)
}
