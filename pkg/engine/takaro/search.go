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

// maxReferences is how many references are searched for as if for one object.
const maxReferences = 10

// SearchDomains returns all domains that match s, by id, softly deleted ones too. Absence here is a hint (see pager):
// confirm it with GetDomain or FindDomainByReference before acting on it.
func (c *Client) SearchDomains(ctx context.Context, s DomainSearch) ([]Domain, error) {
	pages := pager[Domain]{
		client: c, call: adminProbe(), filters: s.filters(), id: func(d Domain) string { return d.ID }, budget: c.list(),
	}
	if n := len(s.ExternalReferences); n > 0 && n <= maxReferences {
		pages.budget = c.references(n)
	}
	return pages.all(ctx)
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
