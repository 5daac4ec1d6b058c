// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// domainQuery is the body of a domain search.
type domainQuery struct {
	Filters map[string][]string `json:"filters,omitempty"`
	Page    int                 `json:"page"`
	Limit   int                 `json:"limit"`
	SortBy  string              `json:"sortBy,omitempty"`
	SortDir string              `json:"sortDirection,omitempty"`
}

// SearchDomains gives all domains that match s, by id, softly deleted ones too. Takaro pages by offset, so a list
// that changes while it is read can hide a row from one reading: then all pages are read again, up to three times,
// and what any reading saw is given. Still, absence here is a hint: confirm it with GetDomain or
// FindDomainByReference before acting on it.
func (c *Client) SearchDomains(ctx context.Context, s DomainSearch) ([]Domain, error) {
	seen := map[string]Domain{}
	for range maxSearchPasses {
		steady, err := c.readAllPages(ctx, s, seen)
		if err != nil {
			return nil, err
		}
		if steady {
			break
		}
	}
	all := slices.Collect(maps.Values(seen))
	slices.SortFunc(all, func(a, b Domain) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// readAllPages reads every page once into seen and tells whether the list held still meanwhile: each page told the
// same total, and that many different rows came.
func (c *Client) readAllPages(ctx context.Context, s DomainSearch, seen map[string]Domain) (steady bool, err error) {
	ids := map[string]bool{}
	steady, firstTotal := true, -1
	for page := range maxSearchPages {
		rows, limit, total, err := c.searchPage(ctx, s, page)
		if err != nil {
			return false, err
		}
		before := len(ids)
		for _, d := range rows {
			ids[d.ID], seen[d.ID] = true, d
		}
		if total != nil {
			if firstTotal < 0 {
				firstTotal = *total
			}
			steady = steady && *total == firstTotal
		}
		last := len(rows) < limit || (total != nil && page*limit+len(rows) >= *total)
		if last {
			return steady && (firstTotal < 0 || len(ids) == firstTotal), nil
		}
		// An addition can push known rows onto this page; then the total has changed.
		if steady && len(ids) == before {
			return false, c.unreadable(searchCall(s, page), "a page of a search repeats an earlier one")
		}
	}
	return false, c.unreadable(searchCall(s, maxSearchPages), "a search has no end")
}

func searchCall(s DomainSearch, page int) call {
	k := adminProbe()
	k.body = domainQuery{Filters: s.filters(), Page: page, Limit: searchPageSize, SortBy: "id", SortDir: "asc"}
	return k
}

// searchPage gives the rows of one page, the page size that Takaro really used, and its count of all rows.
func (c *Client) searchPage(ctx context.Context, s DomainSearch, page int) (rows []Domain, limit int, total *int, err error) {
	k := searchCall(s, page)
	env, err := c.do(ctx, k, &rows)
	if err != nil {
		return nil, 0, nil, err
	}
	for _, d := range rows {
		if d.ID == "" {
			return nil, 0, nil, c.unreadable(k, "a domain without id")
		}
	}
	limit = searchPageSize
	if env.Meta.Limit > 0 {
		limit = env.Meta.Limit
	}
	return rows, limit, env.Meta.Total, nil
}

// filters leaves empty lists out: Takaro takes one for "no filter" all the same, but says so nowhere.
func (s DomainSearch) filters() map[string][]string {
	states := make([]string, len(s.States))
	for i, state := range s.States {
		states[i] = string(state)
	}
	all := map[string][]string{"name": s.Names, "state": states, "externalReference": s.ExternalReferences}
	maps.DeleteFunc(all, func(_ string, values []string) bool { return len(values) == 0 })
	return all
}

// FindDomainByReference gives the domain that carries exactly this externalReference, nil when none does. The rows
// are compared here: a filter that a server ignores would otherwise hand over a stranger's domain.
func (c *Client) FindDomainByReference(ctx context.Context, ref string) (*Domain, error) {
	if ref == "" || ref == "null" { // Takaro reads "null" in a filter as "has none"
		return nil, &InputError{Message: `an externalReference must be set and must not be "null"`}
	}
	rows, err := c.SearchDomains(ctx, DomainSearch{ExternalReferences: []string{ref}})
	if err != nil {
		return nil, err
	}
	for _, d := range rows {
		if d.ExternalReference != nil && *d.ExternalReference == ref {
			return &d, nil
		}
	}
	return nil, nil
}
