// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTruncate_CutsASearch(t *testing.T) {
	b, c := controlled(t, Options{})
	for _, reference := range []string{"two", "three", "four", "five"} {
		_, err := b.PlantStranger(Stranger{Reference: reference + "-reference"})
		require.NoError(t, err)
	}
	for _, tc := range []struct {
		name        string
		total       ShownTotal
		rows, page  int // pages of two rows
		seen, shown int
	}{
		{"cut page", TotalTrue, 1, 0, 1, 5},
		{"cut page, with a lie", TotalLie, 1, 0, 1, 1},
		{"first page is complete", TotalLie, 3, 0, 2, 3},
		{"second page is cut", TotalLie, 3, 1, 1, 3},
		{"page behind the cut", TotalTrue, 2, 1, 0, 5},
		{"nothing left", TotalLie, 0, 0, 0, 0},
		{"more rows than there are", TotalLie, 9, 2, 1, 5},
		{"default total", "", 0, 0, 0, 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id, err := c.InjectFault(t.Context(), Fault{Kind: FaultTruncate, Path: "/domain/search", Rows: tc.rows, Total: tc.total})
			require.NoError(t, err)
			res, raw, err := over(t.Context(), b.Server, "POST", fmt.Sprintf("/domain/search?limit=2&page=%d", tc.page), "")
			require.NoError(t, err)
			require.Equal(t, 200, res.StatusCode)
			var out struct {
				Meta struct{ Page, Limit, Total int }
				Data []struct{ ID string }
			}
			require.NoError(t, json.Unmarshal([]byte(raw), &out))
			assert.Len(t, out.Data, tc.seen, raw)
			assert.Equal(t, []int{tc.page, 2, tc.shown}, []int{out.Meta.Page, out.Meta.Limit, out.Meta.Total})
			require.NoError(t, c.RemoveFault(t.Context(), id))
			require.ErrorContains(t, c.RemoveFault(t.Context(), id), "404 Not Found")
		})
	}
}

func TestTruncate_LeavesOtherAnswers(t *testing.T) {
	b, c := controlled(t, Options{})
	_, err := c.InjectFault(t.Context(), Fault{Kind: FaultTruncate})
	require.NoError(t, err)
	assert.Equal(t, b.domain.ID, b.call(t, "GET", "/domain/"+b.domain.ID, "").data(t)["id"])
	assert.Contains(t, b.call(t, "GET", "/permissions", "").raw, permRoot, "a list that is no search")
	assert.Equal(t, 400, b.call(t, "POST", "/domain/search", `{"foo":1}`).status)
	assert.Contains(t, b.call(t, "POST", "/user/search", "").raw, `"total":2`)
	require.NoError(t, c.ClearFaults(t.Context()))
	assert.Contains(t, b.call(t, "POST", "/user/search", "").raw, b.alice)
}

func TestControl_AnswersThatLie(t *testing.T) {
	b, c := controlled(t, Options{})
	for path, want := range map[string]Fault{
		`truncate {"path":"/domain/search","rows":3,"total":true}`: {Kind: FaultTruncate, Path: "/domain/search", Rows: 3, Total: TotalTrue},
		`truncate {"rows":3,"total":"lie","times":2}`:              {Kind: FaultTruncate, Rows: 3, Total: TotalLie, Times: 2},
		`truncate {}`: {Kind: FaultTruncate, Total: TotalTrue},
		`endless {"path":"/domain/*","latency":"1s"}`:     {Kind: FaultEndless, Path: "/domain/*", Latency: time.Second},
		`drip {"method":"GET"}`:                           {Kind: FaultSlowBody, Method: "GET"},
		`outlast {"kind":"outlast"}`:                      {Kind: FaultOutlast},
		`faults {"kind":"truncate","rows":1}`:             {Kind: FaultTruncate, Rows: 1, Total: TotalTrue},
		`faults {"kind":"slow-body","path":"/user/**"}  `: {Kind: FaultSlowBody, Path: "/user/**"},
	} {
		where, body, _ := strings.Cut(path, " ")
		added := b.call(t, "POST", "/__control/"+where, body)
		require.Equal(t, 201, added.status, added.raw)
		faults, err := c.Faults(t.Context())
		require.NoError(t, err)
		require.Len(t, faults, 1)
		assert.Contains(t, added.raw, `"id": "`+faults[0].ID+`"`)
		faults[0].ID = ""
		assert.Equal(t, want, faults[0], path)
		require.NoError(t, c.ClearFaults(t.Context()))
	}
	for path, message := range map[string]string{
		`truncate {"rows":-1}`:               "cannot be negative",
		`truncate {"total":"odd"}`:           `total "odd"`,
		`endless {"rows":1}`:                 "for fault kind truncate only",
		`drip {"kind":"429"}`:                "slow-body only",
		`outlast {"latency":"soon"}`:         "like 500ms",
		`faults {"kind":"429","total":true}`: "for fault kind truncate only",
	} {
		where, body, _ := strings.Cut(path, " ")
		refused := b.call(t, "POST", "/__control/"+where, body)
		assert.Equal(t, 400, refused.status, path)
		assert.Contains(t, refused.raw, message, path)
	}
}

func TestEndless_SendsRowsUntilTheClientLeaves(t *testing.T) {
	b, c := controlled(t, Options{})
	_, err := c.InjectFault(t.Context(), Fault{Kind: FaultEndless})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.URL()+"/domain/search", http.NoBody)
	require.NoError(t, err)
	req.Header.Set("X-Takaro-Admin-Token", b.AdminToken())
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	assert.Equal(t, int64(-1), res.ContentLength)
	rows := json.NewDecoder(res.Body)
	for token := json.Token(nil); token != json.Delim('['); {
		token, err = rows.Token()
		require.NoError(t, err)
	}
	for range 5000 {
		require.True(t, rows.More())
		var row struct{ ID string }
		require.NoError(t, rows.Decode(&row))
		require.Equal(t, b.domain.ID, row.ID)
	}
	require.NoError(t, res.Body.Close())

	res, err = http.Get(b.URL() + "/healthz")
	require.NoError(t, err)
	n, err := io.Copy(io.Discard, io.LimitReader(res.Body, 20<<20))
	require.NoError(t, err)
	assert.Equal(t, int64(20<<20), n, "an answer that is no list does not end either")
	require.NoError(t, res.Body.Close())
	b.Close() // ends both open requests
}

func TestDrip_SendsOneByteASecond(t *testing.T) {
	b, _ := controlled(t, Options{})
	require.Equal(t, 201, b.call(t, "POST", "/__control/drip", `{"path":"/healthz"}`).status)
	started := time.Now()
	res, err := http.Get(b.URL() + "/healthz")
	require.NoError(t, err)
	_, err = io.ReadFull(res.Body, make([]byte, 1))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(started), time.Second)
	require.NoError(t, res.Body.Close())
}

func TestOutlast_CreatesWhenTheClientHasLeft(t *testing.T) {
	b, c := controlled(t, Options{})
	_, err := c.InjectFault(t.Context(), Fault{Kind: FaultOutlast, Method: "POST", Path: "/domain", Times: 1})
	require.NoError(t, err)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, _, err := over(ctx, b.Server, "POST", "/domain", `{"name":"late","externalReference":"late"}`)
		left <- err
	}()
	require.Eventually(t, func() bool { _, found := b.DomainByReference("late"); return found }, limit, time.Millisecond)
	d, _ := b.DomainByReference("late")
	assert.False(t, d.HasRoot, "while the client waits, a search finds the row only")
	leave()
	require.ErrorIs(t, <-left, context.Canceled)
	require.Eventually(t, func() bool { d, _ := b.DomainByReference("late"); return d.HasRoot }, limit, time.Millisecond)
}

func TestOutlast_EndsAfterItsLatency(t *testing.T) {
	b, c := controlled(t, Options{})
	_, err := c.InjectFault(t.Context(), Fault{Kind: FaultOutlast, Latency: 50 * time.Millisecond})
	require.NoError(t, err)
	for path, body := range map[string]string{"/domain": `{"name":"late"}`, "/domain/search": ""} {
		started := time.Now()
		res, _, err := over(t.Context(), b.Server, "POST", path, body)
		require.NoError(t, err, "the client is more patient")
		assert.Equal(t, 200, res.StatusCode)
		assert.GreaterOrEqual(t, time.Since(started), 50*time.Millisecond)
	}
}

// TestRestoreSnapshot_DuringACreate restores a snapshot after a create has inserted its row and
// before it inserts the root user.
func TestRestoreSnapshot_DuringACreate(t *testing.T) {
	b, c := controlled(t, Options{})
	_, err := c.InjectFault(t.Context(), Fault{Kind: FaultOutlast, Method: "POST", Path: "/domain", Times: 1})
	require.NoError(t, err)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	go func() { _, _, _ = over(ctx, b.Server, "POST", "/domain", `{"name":"late","externalReference":"late"}`) }()
	require.Eventually(t, func() bool { _, found := b.DomainByReference("late"); return found }, limit, time.Millisecond)
	require.NoError(t, c.SaveSnapshot(t.Context(), "half"))
	require.NoError(t, c.RestoreSnapshot(t.Context(), "half", false))
	leave()
	answered := func() int {
		requests := b.Requests()
		return requests[len(requests)-1].Status
	}
	require.Eventually(t, func() bool { return answered() == 500 }, limit, time.Millisecond)
	d, found := b.DomainByReference("late")
	require.True(t, found, "the backup has the row")
	assert.False(t, d.HasRoot, "the create does not change a row of another database")
}
