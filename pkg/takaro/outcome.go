// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"net/http"

	"roadstead.dev/roadstead/pkg/netguard"
)

// transportOutcome judges a request without an answer. What the caller cancelled and what netguard refused
// is not the endpoint's fault; a deadline of the caller that passed while the endpoint was silent is.
func transportOutcome(caller context.Context, err error) outcome {
	if netguard.IsRefused(err) || errors.Is(caller.Err(), context.Canceled) {
		return neutral
	}
	return failing
}

// statusOutcome judges an answer other than 2xx.
func statusOutcome(k call, e *APIError) outcome {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return neutral
	case e.Status < http.StatusInternalServerError:
		return alive
	case e.Status == http.StatusInternalServerError && k.inputMakes500 && !e.foreign():
		return neutral
	}
	return failing
}
