// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOf responds to a search with a page of n rows of about size bytes each, followed by another page.
func pageOf(n, size int, zipped bool) func(int, http.ResponseWriter, *http.Request, string) {
	filler := strings.Repeat("x", size)
	return func(_ int, w http.ResponseWriter, r *http.Request, body string) {
		if r.URL.Path == "/token" {
			reply(w, 200, data(map[string]any{"token": jwt(1, 2, 3)}))
			return
		}
		var q query
		_ = json.Unmarshal([]byte(body), &q)
		var out io.Writer = w
		if zipped {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer func() { _ = z.Close() }()
			out = z
		}
		_, _ = fmt.Fprintf(out, `{"meta":{"limit":%d},"data":[`, n)
		for i := range n {
			if i > 0 {
				_, _ = io.WriteString(out, ",")
			}
			if _, err := fmt.Fprintf(out, `{"id":"%d-%d","name":%q}`, q.Page, i, filler); err != nil {
				return
			}
		}
		_, _ = io.WriteString(out, "]}")
	}
}

func clientFor(t *testing.T, p *Pool, url string, own bool) *Client {
	t.Helper()
	c, err := p.Client(Endpoint{URL: url, AdminToken: NewSecret(testToken), Own: own})
	require.NoError(t, err)
	return c
}

// searches runs all searches for lists.
func searches(t *testing.T, c *Client) map[string]error {
	t.Helper()
	return map[string]error{
		"/domain/search":     second(c.SearchDomains(t.Context(), DomainSearch{})),
		"/user/search":       second(c.SearchUsers(t.Context(), "d")),
		"/role/search":       second(c.SearchRoles(t.Context(), "d")),
		"/gameserver/search": second(c.SearchGameServers(t.Context(), "d")),
	}
}

// TestSearch_EndlessResponse checks that endless responses are read only up to the limit and not kept.
func TestSearch_EndlessResponse(t *testing.T) {
	for name, c := range map[string]struct {
		own    bool
		zipped bool
		says   string
		pages  int
	}{
		"installation":     {false, false, "more than 64 MiB", 5},
		"tenant":           {true, false, "more than 8 MiB", 1},
		"tenant, unpacked": {true, true, "more than 8 MiB", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, pageOf(1000, 15_000, c.zipped))
			client := clientFor(t, newTestPool(t, testOptions(newSkipClock())), s.URL, c.own)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, err := client.SearchDomains(t.Context(), DomainSearch{})
			runtime.GC()
			runtime.ReadMemStats(&after)
			require.True(t, IsSearchTooLarge(err), "%v", err)
			require.ErrorContains(t, err, c.says)
			assert.Len(t, s.requests(), c.pages, "a page that is too large is not requested again")
			assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
			assert.False(t, IsUnclear(err) || IsTerminal(err) || IsIncomplete(err))
		})
	}
}

func TestSearchBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(int, http.ResponseWriter, *http.Request, string)
		says   string
	}{
		"rows of all pages": {pageOf(5, 10, false), "more than 12 rows"},
		"rows of a page":    {pageOf(13, 0, false), "more than 12 rows"},
		"total":             {always(200, `{"meta":{"total":13},"data":[]}`), "more than 12 rows"},
		"bytes":             {pageOf(2, 100<<10, false), "more than 300 KiB"},
		"empty rows":        {always(200, `{"meta":{},"data":[`+strings.Repeat("{},", 90_000)+`{}]}`), "more than 12 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, body string) {
				if r.URL.Path == "/token" {
					reply(w, 200, data(map[string]any{"token": jwt(1, 2, 3)}))
					return
				}
				c.answer(n, w, r, body)
			})
			p := newTestPool(t, testOptions(newSkipClock()))
			p.budgets.own = budget{rows: 12, bytes: 300 << 10, time: time.Minute}
			for path, err := range searches(t, clientFor(t, p, s.URL, true)) {
				require.True(t, IsSearchTooLarge(err), "%s: %v", path, err)
				require.ErrorContains(t, err, path)
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

func TestSearch_TimeLimit(t *testing.T) {
	for name, c := range map[string]struct {
		first    time.Duration // before the first page
		tooLarge bool
	}{
		"one page after another": {0, true},
		"no page":                {time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, _ string) {
				wait := 20 * time.Millisecond
				if n == 1 {
					wait = c.first
				}
				select {
				case <-time.After(wait):
				case <-r.Context().Done():
					return
				}
				reply(w, 200, fmt.Sprintf(`{"meta":{"limit":1},"data":[{"id":"%d"}]}`, n))
			})
			o := testOptions(newSkipClock())
			o.FailureThreshold = 1
			p := newTestPool(t, o)
			p.budgets.own.time = 300 * time.Millisecond
			client := clientFor(t, p, s.URL, true)
			_, err := client.SearchDomains(t.Context(), DomainSearch{})
			require.Equal(t, c.tooLarge, IsSearchTooLarge(err), "%v", err)
			if c.tooLarge {
				require.ErrorContains(t, err, "longer than 300ms")
			}
			require.NoError(t, client.endpoint.breaker.allow(), "the time limit does not count as a failure of the endpoint")
		})
	}
}

// TestSearch_ReferenceTimeLimit checks that a search for one reference has a short time limit, which does
// not include the wait for the rate limit.
func TestSearch_ReferenceTimeLimit(t *testing.T) {
	s := newServer(t, func(_ int, _ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() })
	o := testOptions(newSkipClock())
	o.FailureThreshold = 3
	p := newTestPool(t, o)
	p.budgets.reference.time = 50 * time.Millisecond
	c := clientOf(t, p, s.URL)
	_, err := c.FindDomainByReference(t.Context(), "ref")
	require.ErrorIs(t, err, errTimeout)
	assert.True(t, IsUnclear(err))
	require.Error(t, c.endpoint.breaker.allow(), "the time-out counts as a failure of the endpoint")
}

func TestGetUser_TooManyRoles(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Path == "/token" {
			reply(w, 200, data(map[string]any{"token": jwt(1, 2, 3)}))
			return
		}
		reply(w, 200, `{"meta":{},"data":[{"id":"u","roles":[`+strings.Repeat("{},", maxRoles)+`{}]}]}`)
	})
	_, err := newTestClient(t, s.URL).SearchUsers(t.Context(), "d")
	require.True(t, IsForeign(err), "%v", err)
	require.ErrorContains(t, err, "too large")
}
