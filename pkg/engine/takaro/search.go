// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"maps"
)

// query is the body of a search.
type query struct {
	Filters map[string][]string `json:"filters,omitempty"`
	Page    int                 `json:"page"`
	Limit   int                 `json:"limit"`
	SortBy  string              `json:"sortBy,omitempty"`
	SortDir string              `json:"sortDirection,omitempty"`
}

// maxReferences is the maximum number of references of a search that has the budget for single objects.
const maxReferences = 10

// SearchDomains returns all domains that match s, sorted by ID, including softly deleted ones. A missing domain is only
// a hint (see pager): confirm it with GetDomain or FindDomainByReference before acting on it.
func (c *Client) SearchDomains(ctx context.Context, s DomainSearch) ([]Domain, error) {
	pages := pager[Domain]{
		client: c, call: adminProbe(), filters: s.filters(), id: func(d Domain) string { return d.ID }, budget: c.list(),
	}
	if n := len(s.ExternalReferences); n > 0 && n <= maxReferences {
		pages.budget = c.references(n)
	}
	return pages.all(ctx)
}

// filters omits empty lists. Takaro treats an empty list as "no filter", but does not document it.
func (s DomainSearch) filters() map[string][]string {
	states := make([]string, len(s.States))
	for i, state := range s.States {
		states[i] = string(state)
	}
	all := map[string][]string{"name": s.Names, "state": states, "externalReference": s.ExternalReferences}
	maps.DeleteFunc(all, func(_ string, values []string) bool { return len(values) == 0 })
	return all
}

// FindDomainByReference returns the domain with exactly this externalReference, or nil if there is none. The rows are
// compared here, because a server that ignores the filter would otherwise return a foreign domain.
func (c *Client) FindDomainByReference(ctx context.Context, ref string) (*Domain, error) {
	if ref == "" || ref == "null" { // Takaro reads "null" in a filter as "has none"
		return nil, &InputError{Message: `externalReference must be set and must not be "null"`}
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
