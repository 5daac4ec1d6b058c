// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns the value of the Retry-After header (RFC 9110 10.2.3: seconds or a date), or 0 if it is missing, in
// the past or invalid.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	var d time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		d = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		d = date.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}
