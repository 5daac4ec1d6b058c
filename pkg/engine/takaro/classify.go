// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"net/http"
	"time"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// All functions below are pure, unwrap errors, and return false for nil.

// IsNotFound reports whether Takaro responded that the object does not exist. It returns false for a 404 page of a
// proxy, or of another server because of a wrong URL.
func IsNotFound(err error) bool { return takaroCode(err, http.StatusNotFound, "NotFoundError") }

// IsConflict reports whether Takaro responded that a unique value (an externalReference) is already in use or an assignment exists.
func IsConflict(err error) bool { return takaroCode(err, http.StatusConflict, "ConflictError") }

// IsUnauthorized reports whether Takaro responded with 401 or 403: the admin token, the domain token or the login is invalid.
func IsUnauthorized(err error) bool {
	return takaroCode(err, http.StatusUnauthorized, "") || takaroCode(err, http.StatusForbidden, "")
}

// IsTerminal reports whether the same call fails in the same way until its input, the Secret or a flag changes: Takaro's
// own 400, 403, 404 and 422, input that cannot be sent, and addresses that must not be dialed. A 401 is not terminal
// (the server may lack the secret), a 409 is not (the other object may be deleted), and neither is the response of a
// proxy (see IsForeign).
func IsTerminal(err error) bool {
	var input *InputError
	if errors.As(err, &input) || netguard.IsRefused(err) {
		return true
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity} {
		if takaroCode(err, status, "") {
			return true
		}
	}
	return false
}

// IsUnclear reports whether the request may have been processed although it failed: time-out or dropped connection after
// it was sent, any 5xx, a 2xx response that cannot be read. Check the state before you repeat a create.
func IsUnclear(err error) bool {
	var transport *TransportError
	if errors.As(err, &transport) {
		return transport.Sent
	}
	var api *APIError
	return errors.As(err, &api) && api.Status >= http.StatusInternalServerError
}

// IsForeign reports whether the response is not from Takaro's API: a proxy's error page, a redirect, another server.
// With a 3xx or 4xx status the URL is probably wrong, but the error may also be temporary (a proxy that is being set up).
func IsForeign(err error) bool {
	var api *APIError
	if errors.As(err, &api) {
		return api.foreign()
	}
	return errors.Is(err, errNotTakaro)
}

// IsCircuitOpen reports whether nothing was sent because the endpoint does not respond; see Pool.OnCircuitClosed.
func IsCircuitOpen(err error) bool {
	var open *CircuitOpenError
	return errors.As(err, &open)
}

// IsRateLimited reports whether Takaro, or a proxy in front of it, requested fewer requests, or this program currently
// sends no more requests. It contains no information about the object of the request.
func IsRateLimited(err error) bool {
	var limited *RateLimitedError
	var api *APIError
	return errors.As(err, &limited) || errors.As(err, &api) && api.Status == http.StatusTooManyRequests
}

// RetryAfter returns how long to wait before the next attempt, if err contains it: Retry-After of a response, a paused
// endpoint, or the next probe of an open circuit.
func RetryAfter(err error) (time.Duration, bool) {
	var (
		api     *APIError
		limited *RateLimitedError
		open    *CircuitOpenError
	)
	switch {
	case errors.As(err, &api):
		return api.RetryAfter, api.RetryAfter > 0
	case errors.As(err, &limited):
		return limited.After, limited.After > 0
	case errors.As(err, &open):
		return open.After, open.After > 0
	}
	return 0, false
}

// takaroCode reports whether err is Takaro's own response with that status and, unless code is empty, that code.
func takaroCode(err error, status int, code string) bool {
	var api *APIError
	return errors.As(err, &api) && !api.foreign() && api.Status == status && (code == "" || api.Code == code)
}
