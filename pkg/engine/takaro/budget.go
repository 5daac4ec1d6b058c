// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
	"time"
)

// budget limits one search, so that no endpoint can occupy memory or a worker indefinitely. A search that exceeds it
// ends with a *SearchTooLargeError.
type budget struct {
	rows  int           // number of distinct rows
	bytes int64         // of one reading of all pages, after decompression
	time  time.Duration // of all readings; of one request if the search is for one object
	one   bool          // the search is for one object
}

// budgets of a pool.
type budgets struct {
	// reference is for one externalReference, which is unique; a second row shows that a filter was ignored.
	reference budget
	// installed and own are for a list, with credentials of the installation or of a tenant.
	installed, own budget
}

func defaultBudgets() budgets {
	return budgets{
		reference: budget{rows: 2, bytes: 1 << 20, time: 10 * time.Second, one: true},
		installed: budget{rows: 50_000, bytes: 64 << 20, time: time.Minute},
		own:       budget{rows: 5_000, bytes: 8 << 20, time: time.Minute},
	}
}

// list returns the budget of a list.
func (c *Client) list() budget {
	if c.endpoint.own {
		return c.endpoint.pool.budgets.own
	}
	return c.endpoint.pool.budgets.installed
}

// references returns the budget of a search for n references.
func (c *Client) references(n int) budget {
	b := c.endpoint.pool.budgets.reference
	b.rows *= n
	return b
}

// errSearchTime ends the context of a search that exceeds its time limit.
var errSearchTime = errors.New("search exceeded its time limit")

// SearchTooLargeError is returned by a search whose result exceeds the limits. The result is unknown, and the same
// search fails again until the data in Takaro change.
type SearchTooLargeError struct {
	Path string // pattern: "/domain/search"
	Host string
	// Limit is the limit that was exceeded: "more than 5000 rows".
	Limit string
	// One is set if the search was for a single object. Own is set if a tenant supplied the credentials, for
	// which the limits are lower.
	One, Own bool
}

// Error names the search and the limit.
func (e *SearchTooLargeError) Error() string {
	return fmt.Sprintf("POST %s at %s: response is too large: %s", e.Path, e.Host, e.Limit)
}

// IsSearchTooLarge reports whether err is or wraps a *SearchTooLargeError.
func IsSearchTooLarge(err error) bool {
	var large *SearchTooLargeError
	return errors.As(err, &large)
}

// size formats a number of bytes for messages.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
