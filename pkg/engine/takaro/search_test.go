// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// page responds to a search over ids like Takaro, with pages of at most limit rows.
func page(t require.TestingT, w http.ResponseWriter, body string, ids []string, limit int) {
	var q query
	require.NoError(t, json.Unmarshal([]byte(body), &q))
	require.Equal(t, "id", q.SortBy)
	require.Equal(t, "asc", q.SortDir)
	limit = min(limit, q.Limit)
	slices.Sort(ids)
	from, to := min(q.Page*limit, len(ids)), min((q.Page+1)*limit, len(ids))
	rows := []any{}
	for _, id := range ids[from:to] {
		rows = append(rows, wireDomain(id, "ref-"+id))
	}
	raw, _ := json.Marshal(map[string]any{"meta": map[string]any{"page": q.Page, "limit": limit, "total": len(ids)}, "data": rows})
	reply(w, 200, string(raw))
}

func makeIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("id-%05d", i)
	}
	return ids
}

func idsOf(list []Domain) []string {
	ids := make([]string, len(list))
	for i, d := range list {
		ids[i] = d.ID
	}
	return ids
}

func TestSearchReadsAllPages(t *testing.T) {
	for n, requests := range map[int]int{0: 1, 1: 1, 999: 1, 1000: 1, 1001: 2, 2000: 2, 2500: 3} {
		s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, body string) { page(t, w, body, makeIDs(n), 1000) })
		got, err := newTestClient(t, s.URL).SearchDomains(context.Background(), DomainSearch{})
		require.NoError(t, err)
		assert.Equal(t, makeIDs(n), idsOf(got))
		assert.Len(t, s.requests(), requests, "%d domains", n)
	}
}

func TestSearchFilters(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, body string) { page(t, w, body, nil, 1000) })
	_, err := newTestClient(t, s.URL).SearchDomains(context.Background(), DomainSearch{States: []DomainState{StateActive}, Names: []string{},
		ExternalReferences: []string{"a", "b"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"filters":{"state":["ACTIVE"],"externalReference":["a","b"]},"page":0,"limit":4,"sortBy":"id","sortDirection":"asc"}`,
		s.requests()[0].Body)
}

func TestSearch_WithoutTotalStopsAtShortPage(t *testing.T) {
	s := newServer(t, always(200, data([]any{wireDomain("a", ""), wireDomain("b", "")})))
	got, err := newTestClient(t, s.URL).SearchDomains(context.Background(), DomainSearch{})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, idsOf(got))
	assert.Len(t, s.requests(), 1)
}

func TestSearch_RepeatedPage(t *testing.T) {
	s := newServer(t, always(200, `{"meta":{"limit":1,"total":9},"data":[{"id":"a"}]}`))
	_, err := newTestClient(t, s.URL).SearchDomains(context.Background(), DomainSearch{})
	assert.ErrorContains(t, err, "repeats")
	assert.Len(t, s.requests(), 2)
}

func TestSearch_FewerRowsThanTotal(t *testing.T) {
	rows := func(n, from int) []map[string]any {
		out := make([]map[string]any, n)
		for i := range out {
			out[i] = map[string]any{"id": fmt.Sprint("id-", from+i)}
		}
		return out
	}
	for name, c := range map[string]struct {
		pages  func(n int) []map[string]any // by the number of the request
		limit  int                          // 0 leaves it out
		passes int                          // number of requests of all reads
	}{
		"page size lowered without notice": {func(int) []map[string]any { return rows(100, 0) }, 0, 3},
		"omitted rows":                     {func(int) []map[string]any { return rows(499, 0) }, 1000, 3},
		"no rows":                          {func(int) []map[string]any { return nil }, 1000, 3},
		"second page is missing": {func(n int) []map[string]any {
			if n%2 == 0 {
				return nil
			}
			return rows(250, 0)
		}, 250, 6},
	} {
		s := newServer(t, func(n int, w http.ResponseWriter, _ *http.Request, _ string) {
			meta := map[string]any{"total": 500}
			if c.limit > 0 {
				meta["limit"] = c.limit
			}
			page := c.pages(n)
			if page == nil {
				page = []map[string]any{}
			}
			raw, _ := json.Marshal(map[string]any{"meta": meta, "data": page})
			reply(w, 200, string(raw))
		})
		client, ctx := newTestClient(t, s.URL), context.Background()
		got, err := client.SearchDomains(ctx, DomainSearch{})
		require.True(t, IsIncomplete(err), "%s: %v", name, err)
		assert.Empty(t, got, name)
		var incomplete *IncompleteError
		require.ErrorAs(t, fmt.Errorf("wrapped: %w", err), &incomplete)
		assert.Equal(t, 500, incomplete.Total, name)
		assert.Less(t, incomplete.Rows, 500, name)
		assert.Len(t, s.requests(), c.passes, name)
		_, err = client.FindDomainByReference(ctx, "anything")
		assert.True(t, IsSearchTooLarge(err), "%s: the result is unknown", name)
		assert.False(t, IsTerminal(err) || IsUnclear(err) || IsForeign(err), name)
	}
}

func TestSearch_IncompleteLists(t *testing.T) {
	s := newServer(t, func(_ int, w http.ResponseWriter, r *http.Request, _ string) {
		if r.URL.Path == "/token" {
			reply(w, 200, data(map[string]any{"token": jwt(1, 2, 3)}))
			return
		}
		reply(w, 200, `{"meta":{"limit":1000,"total":2},"data":[{"id":"a"}]}`)
	})
	c, ctx := newTestClient(t, s.URL), context.Background()
	_, users := c.SearchUsers(ctx, "d")
	_, roles := c.SearchRoles(ctx, "d")
	_, servers := c.SearchGameServers(ctx, "d")
	_, reference := c.FindDomainByReference(ctx, "anything")
	for path, err := range map[string]error{
		"/user/search": users, "/role/search": roles, "/gameserver/search": servers, "/domain/search": reference,
	} {
		require.True(t, IsIncomplete(err), "%s: %v", path, err)
		assert.ErrorContains(t, err, path)
		assert.ErrorContains(t, err, "the list is incomplete: Takaro returned 1 of 2 rows")
	}
}

// TestSearchWhileTheListChanges checks that rows that exist during the entire search are found, even if other rows
// are added or removed between two pages of the first read.
func TestSearchWhileTheListChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ids := makeIDs(rapid.IntRange(1, 12).Draw(rt, "n"))
		removed := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, len(ids)-1, rapid.ID[string]).Draw(rt, "removed")
		added := rapid.SliceOfDistinct(rapid.StringMatching(`[a-z]{3}`), rapid.ID[string]).Draw(rt, "added")
		after := rapid.IntRange(1, 4).Draw(rt, "after request")
		kept := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(removed, id) })
		// A removal and an addition that do not change the count cannot be detected from it.
		if len(added) > 0 {
			removed = nil
		}
		s := newServer(t, func(n int, w http.ResponseWriter, _ *http.Request, body string) {
			now := slices.Clone(ids)
			if n > after {
				now = append(slices.DeleteFunc(now, func(id string) bool { return slices.Contains(removed, id) }), added...)
			}
			page(rt, w, body, now, 3)
		})
		defer s.Close()
		p := NewPool(testOptions(newSkipClock()))
		defer p.Close()
		c, err := p.Client(Endpoint{URL: s.URL, AdminToken: NewSecret(testToken)})
		require.NoError(rt, err)
		got, err := c.SearchDomains(context.Background(), DomainSearch{})
		require.NoError(rt, err)
		require.Subset(rt, idsOf(got), kept)
	})
}

func TestFindDomainByReferenceComparesExactly(t *testing.T) {
	// This server ignores the filter.
	n := 2
	s := newServer(t, func(_ int, w http.ResponseWriter, _ *http.Request, body string) { page(t, w, body, makeIDs(n), 1000) })
	c, ctx := newTestClient(t, s.URL), context.Background()
	d, err := c.FindDomainByReference(ctx, "ref-id-00001")
	require.NoError(t, err)
	require.NotNil(t, d)
	assert.Equal(t, "id-00001", d.ID)
	for _, ref := range []string{"ref-id-0001", "REF-id-00001", "ref-id-00001 ", "nothing"} {
		d, err = c.FindDomainByReference(ctx, ref)
		require.NoError(t, err)
		assert.Nil(t, d, ref)
	}
	before := len(s.requests())
	for _, ref := range []string{"", "null"} {
		_, err = c.FindDomainByReference(ctx, ref)
		assert.True(t, IsTerminal(err), ref)
	}
	assert.Len(t, s.requests(), before)

	n = 1500
	_, err = c.FindDomainByReference(ctx, "ref-id-00001")
	require.True(t, IsSearchTooLarge(err), "more rows than a unique reference can have: %v", err)
	assert.Len(t, s.requests(), before+1)
}
