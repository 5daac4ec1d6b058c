// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pager reads all rows of a search. Takaro pages by offset, so a list that changes while it is read can omit a row: then
// all pages are read again, up to three times, and the rows of all reads are returned. If fewer rows than Takaro counts
// were received, an error is returned, because a caller would treat the missing rows as deleted. More rows than the
// budget are an error, too.
type pager[T any] struct {
	client  *Client
	call    call
	filters map[string][]string
	id      func(T) string
	budget  budget
}

// reading is a search in progress.
type reading[T any] struct {
	pager[T]
	seen  map[string]T
	bytes int64 // of the pages of the current read
	pages int   // of all reads
}

// all returns the rows sorted by ID, or an *IncompleteError or *SearchTooLargeError.
func (p pager[T]) all(ctx context.Context) ([]T, error) {
	timed, cancel := ctx, context.CancelFunc(func() {})
	if p.budget.one {
		p.call.timeout = p.budget.time // does not include the wait for the rate limit
	} else {
		timed, cancel = context.WithTimeoutCause(ctx, p.budget.time, errSearchTime)
	}
	defer cancel()
	r := &reading[T]{pager: p, seen: map[string]T{}}
	list, err := r.repeat(timed)
	// An endpoint that has not returned a single page in that time is slow; its list may be small.
	if err != nil && r.pages > 0 && ctx.Err() == nil && timed.Err() != nil {
		return nil, p.tooLarge(fmt.Sprintf("longer than %s", p.budget.time))
	}
	return list, err
}

func (r *reading[T]) repeat(ctx context.Context) ([]T, error) {
	total := 0
	for range maxSearchPasses {
		steady, counted, err := r.read(ctx)
		if err != nil {
			return nil, err
		}
		if total = counted; steady {
			break
		}
	}
	if len(r.seen) < total {
		return nil, &IncompleteError{Path: r.call.pattern, Host: r.client.endpoint.host, Rows: len(r.seen), Total: total}
	}
	list := slices.Collect(maps.Values(r.seen))
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(r.id(a), r.id(b)) })
	return list, nil
}

// read reads every page once. steady reports whether the list did not change meanwhile: each page had the same total,
// and that number of distinct rows was received. counted is the total of the last page that had one.
func (r *reading[T]) read(ctx context.Context) (steady bool, counted int, err error) {
	ids := map[string]bool{}
	r.bytes = 0
	steady, firstTotal := true, -1
	for page := range maxSearchPages {
		list, limit, total, err := r.page(ctx, page)
		if err != nil {
			return false, 0, err
		}
		before := len(ids)
		for _, row := range list {
			ids[r.id(row)], r.seen[r.id(row)] = true, row
		}
		if total != nil {
			if firstTotal < 0 {
				firstTotal = *total
			}
			steady, counted = steady && *total == firstTotal, *total
		}
		if len(r.seen) > r.budget.rows || counted > r.budget.rows {
			return false, 0, r.tooManyRows()
		}
		last := len(list) < limit || (total != nil && page*limit+len(list) >= *total)
		if last {
			return steady && (firstTotal < 0 || len(ids) == firstTotal), counted, nil
		}
		// An added row can move known rows to this page; then the total has changed.
		if steady && len(ids) == before {
			return false, 0, r.client.unreadable(r.at(page), "a page of the search repeats an earlier one")
		}
	}
	return false, 0, r.client.unreadable(r.at(maxSearchPages), "the search has too many pages")
}

// at returns the call for one page.
func (p pager[T]) at(page int) call {
	k := p.call
	k.body = query{Filters: p.filters, Page: page, Limit: min(searchPageSize, p.budget.rows), SortBy: "id", SortDir: "asc"}
	return k
}

// page returns the rows of one page, the page size that Takaro used, and Takaro's count of all rows.
func (r *reading[T]) page(ctx context.Context, page int) (list []T, limit int, total *int, err error) {
	k := r.at(page)
	if k.maxBytes = min(maxBodyBytes, r.budget.bytes-r.bytes); k.maxBytes <= 0 {
		return nil, 0, nil, r.tooManyBytes(r.budget.bytes)
	}
	decoded := rows[T]{max: r.budget.rows}
	env, err := r.client.do(ctx, k, &decoded)
	switch {
	case errors.Is(err, errTooLarge) && r.bytes+k.maxBytes == r.budget.bytes:
		return nil, 0, nil, r.tooManyBytes(r.budget.bytes)
	case errors.Is(err, errTooLarge):
		return nil, 0, nil, r.tooLarge("one page has more than " + size(k.maxBytes))
	case err != nil:
		return nil, 0, nil, err
	case decoded.more:
		return nil, 0, nil, r.tooManyRows()
	}
	r.bytes, r.pages = r.bytes+env.size, r.pages+1
	for _, row := range decoded.list {
		if r.id(row) == "" {
			return nil, 0, nil, r.client.unreadable(k, "a row without ID")
		}
	}
	limit = min(searchPageSize, r.budget.rows)
	if env.Meta.Limit > 0 {
		limit = env.Meta.Limit
	}
	return decoded.list, limit, env.Meta.Total, nil
}

func (p pager[T]) tooManyRows() error {
	return p.tooLarge(fmt.Sprintf("more than %d rows", p.budget.rows))
}

func (p pager[T]) tooManyBytes(limit int64) error { return p.tooLarge("more than " + size(limit)) }

func (p pager[T]) tooLarge(limit string) error {
	e := p.client.endpoint
	return &SearchTooLargeError{Path: p.call.pattern, Host: e.host, Limit: limit, One: p.budget.one, Own: e.own}
}
