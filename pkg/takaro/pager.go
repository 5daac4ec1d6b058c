// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// pager reads all rows of a search. Takaro pages by offset, so a list that changes while it is read
// can hide a row from one reading: then all pages are read again, up to three times, and the rows
// of all readings are returned. Fewer rows than Takaro counts are an error: a caller that took the
// list for complete would treat the missing rows as deleted.
type pager[T any] struct {
	client  *Client
	call    call
	filters map[string][]string
	id      func(T) string
}

// all returns the rows by id, or an *IncompleteError.
func (p pager[T]) all(ctx context.Context) ([]T, error) {
	seen, total := map[string]T{}, 0
	for range maxSearchPasses {
		steady, counted, err := p.read(ctx, seen)
		if err != nil {
			return nil, err
		}
		if total = counted; steady {
			break
		}
	}
	if len(seen) < total {
		return nil, &IncompleteError{Path: p.call.pattern, Host: p.client.endpoint.host, Rows: len(seen), Total: total}
	}
	rows := slices.Collect(maps.Values(seen))
	slices.SortFunc(rows, func(a, b T) int { return strings.Compare(p.id(a), p.id(b)) })
	return rows, nil
}

// read reads every page once into seen. steady reports that the list did not change meanwhile: each
// page had the same total, and that many different rows were received. counted is the total of the
// last page that had one.
func (p pager[T]) read(ctx context.Context, seen map[string]T) (steady bool, counted int, err error) {
	ids := map[string]bool{}
	steady, firstTotal := true, -1
	for page := range maxSearchPages {
		rows, limit, total, err := p.page(ctx, page)
		if err != nil {
			return false, 0, err
		}
		before := len(ids)
		for _, row := range rows {
			ids[p.id(row)], seen[p.id(row)] = true, row
		}
		if total != nil {
			if firstTotal < 0 {
				firstTotal = *total
			}
			steady, counted = steady && *total == firstTotal, *total
		}
		last := len(rows) < limit || (total != nil && page*limit+len(rows) >= *total)
		if last {
			return steady && (firstTotal < 0 || len(ids) == firstTotal), counted, nil
		}
		// An addition can push known rows onto this page; then the total has changed.
		if steady && len(ids) == before {
			return false, 0, p.client.unreadable(p.at(page), "a page of a search repeats an earlier one")
		}
	}
	return false, 0, p.client.unreadable(p.at(maxSearchPages), "a search has no end")
}

// at is the call for one page.
func (p pager[T]) at(page int) call {
	k := p.call
	k.body = query{Filters: p.filters, Page: page, Limit: searchPageSize, SortBy: "id", SortDir: "asc"}
	return k
}

// page gives the rows of one page, the page size that Takaro really used, and its count of all rows.
func (p pager[T]) page(ctx context.Context, page int) (rows []T, limit int, total *int, err error) {
	k := p.at(page)
	env, err := p.client.do(ctx, k, &rows)
	if err != nil {
		return nil, 0, nil, err
	}
	for _, row := range rows {
		if p.id(row) == "" {
			return nil, 0, nil, p.client.unreadable(k, "a row without id")
		}
	}
	limit = searchPageSize
	if env.Meta.Limit > 0 {
		limit = env.Meta.Limit
	}
	return rows, limit, env.Meta.Total, nil
}
