// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads the Retry-After header (RFC 9110 10.2.3: seconds or a date); 0 when there is none, or it
// is in the past or unreadable.
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
