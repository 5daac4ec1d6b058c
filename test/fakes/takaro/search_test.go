// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPagesAddUp checks for any filter, order and page size that the pages together contain each
// matching row once, in order.
func TestPagesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"ant", "Bee", "cat", "beetle"}), 0, 20).Draw(t, "names")
		wanted := rapid.SliceOf(rapid.SampledFrom([]any{"ant", "Bee", "cat", "null"})).Draw(t, "wanted")
		part := rapid.SampledFrom([]string{"", "BE", "t", "x"}).Draw(t, "part")
		by, direction := rapid.SampledFrom([]string{"", "name", "id"}).Draw(t, "by"), rapid.SampledFrom([]any{"asc", "desc",
			nil}).Draw(t, "direction")
		limit := rapid.IntRange(1, 7).Draw(t, "limit")
		r := &request{body: map[string]any{"filters": map[string]any{"name": wanted}, "sortBy": by, "sortDirection": direction}}
		if part != "" {
			r.body["search"] = map[string]any{"name": []any{part}}
		}
		rows := func() []*role {
			out := []*role{}
			for i, n := range names {
				out = append(out, &role{id: fmt.Sprintf("%02d", i), name: n})
			}
			return out
		}
		want := []string{}
		for i, n := range names {
			if (len(wanted) == 0 || slices.Contains(wanted, any(n))) && strings.Contains(strings.ToLower(n), strings.ToLower(part)) {
				want = append(want, fmt.Sprintf("%02d", i))
			}
		}
		got, keys := []string{}, []string{}
		for p := 0; ; p++ {
			r.page = page{page: p, limit: limit}
			found, total, e := find(rows(), r)
			require.Nil(t, e)
			require.Equal(t, len(want), total)
			if len(found) == 0 {
				break
			}
			for _, x := range found {
				got = append(got, x.id)
				keys = append(keys, map[string]string{"": x.id, "id": x.id, "name": x.name}[by])
			}
		}
		assert.ElementsMatch(t, want, got)
		if direction == "desc" {
			slices.Reverse(keys)
		}
		assert.True(t, slices.IsSorted(keys), "%v", keys)
	})
}

func TestFiltersOfNullRangesAndLists(t *testing.T) {
	b := newBench(t, Options{})
	_, _, err := b.PlantDomain(Seed{Name: "no reference"})
	require.NoError(t, err)
	require.Equal(t, 200, b.call(t, "POST", "/user/"+b.alice+"/role/"+b.admin, `{}`).status)
	for _, c := range []struct {
		path, body string
		total      int
	}{
		{"/domain/search", `{"filters":{"externalReference":["null"]}}`, 1},
		{"/domain/search", `{"filters":{"externalReference":["null","ref-one"]}}`, 2},
		{"/domain/search", `{"filters":{"externalReference":["ref-one"],"name":["no reference"]}}`, 0},
		{"/domain/search", `{"search":{"externalReference":["REF"],"name":["no ref"]}}`, 2},
		{"/domain/search", `{"greaterThan":{"maxUsers":2}}`, 1},
		{"/domain/search", `{"lessThan":{"maxUsers":1}}`, 1},
		{"/domain/search", `{"lessThan":{"createdAt":"2001-01-01T00:00:00.000Z"}}`, 0},
		{"/domain/search", `{"filters":{"state":["DISABLED"]}}`, 0},
		{"/user/search", `{"filters":{"roleId":["` + b.admin + `"]}}`, 1},
		{"/user/search", `{"filters":{"isDashboardUser":true}}`, 1},
		{"/user/search", `{"filters":{"playerId":["` + nobody + `"]}}`, 0},
		{"/user/search", `{"greaterThan":{"lastSeen":"2001-01-01"},"sortBy":"name","sortDirection":"desc"}`, 2},
		{"/gameserver/search", `{"filters":{"identityToken":["mock-1"],"type":["GENERIC"],"enabled":[true]},"sortBy":"identityToken"}`, 1},
		{"/role/search", `{"sortBy":"system","search":{"name":["O"]}}`, 2},
	} {
		a := b.call(t, "POST", c.path, c.body)
		require.Equal(t, 200, a.status, a.raw)
		assert.Contains(t, a.raw, fmt.Sprintf(`"total":%d}`, c.total), c.body)
	}
}
