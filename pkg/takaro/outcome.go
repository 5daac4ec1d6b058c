// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"net/http"

	"roadstead.dev/roadstead/pkg/netguard"
)

// transportOutcome judges a request without an answer; timed is caller with the time-out of k. What
// the caller cancelled and what netguard refused, an address or a write after the controller lost
// its Lease, is not the endpoint's fault; a deadline that passed while the endpoint was silent is,
// unless the call is known to be slow.
func transportOutcome(caller, timed context.Context, k call, err error) outcome {
	switch {
	case notAllowed(err), errors.Is(caller.Err(), context.Canceled), k.slow && timed.Err() != nil:
		return neutral
	}
	return failing
}

// notAllowed reports whether this process did not send the request because it may not.
func notAllowed(err error) bool { return netguard.IsRefused(err) || netguard.IsWriteRefused(err) }

// statusOutcome judges an answer other than 2xx.
func statusOutcome(k call, e *APIError) outcome {
	switch {
	case e.Status == http.StatusTooManyRequests, k.slow && e.Status == http.StatusGatewayTimeout:
		return neutral
	case e.Status < http.StatusInternalServerError:
		return alive
	case e.Status == http.StatusInternalServerError && k.inputMakes500 && !e.foreign():
		return neutral
	}
	return failing
}
