// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
)

// IncompleteError is returned by every search that received fewer rows than Takaro counts, also
// after all repetitions. The result is unknown: a missing object may exist.
type IncompleteError struct {
	Path string // pattern: "/domain/search"
	Host string
	// Rows is the number of distinct rows received, Total the number that Takaro counted last.
	Rows, Total int
}

// Error names the search and both numbers.
func (e *IncompleteError) Error() string {
	return fmt.Sprintf("POST %s at %s: the list is incomplete: Takaro returned %d of %d rows", e.Path, e.Host, e.Rows, e.Total)
}

// IsIncomplete reports whether err is or wraps an *IncompleteError.
func IsIncomplete(err error) bool {
	var incomplete *IncompleteError
	return errors.As(err, &incomplete)
}
