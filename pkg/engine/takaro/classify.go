// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"net/http"
	"time"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// All functions below are pure, look through wrapped errors, and give false for nil.

// IsNotFound tells that Takaro itself says that the object does not exist. A 404 page of a proxy or a mistyped URL is
// not that.
func IsNotFound(err error) bool { return takaroCode(err, http.StatusNotFound, "NotFoundError") }

// IsConflict tells that Takaro itself says that a unique value (an externalReference) is taken or an assignment exists.
func IsConflict(err error) bool { return takaroCode(err, http.StatusConflict, "ConflictError") }

// IsUnauthorized tells that Takaro itself answered 401 or 403: the admin token, the domain token or the login is wrong.
func IsUnauthorized(err error) bool {
	return takaroCode(err, http.StatusUnauthorized, "") || takaroCode(err, http.StatusForbidden, "")
}

// IsTerminal tells that the same call will fail the same way until its input, the Secret or a flag changes: Takaro's own
// 400, 403, 404 and 422, input that cannot be sent, an address that may not be dialled. A 401 is not terminal
// (the server's side lacks the secret), nor a 409 (the other holder may go), nor what a proxy answers (see IsForeign).
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

// IsUnclear tells that the request may have been carried out although it failed: time-out or dropped connection after
// it was sent, any 5xx, a 2xx answer that cannot be read. Look before a create is sent again.
func IsUnclear(err error) bool {
	var transport *TransportError
	if errors.As(err, &transport) {
		return transport.Sent
	}
	var api *APIError
	return errors.As(err, &api) && api.Status >= http.StatusInternalServerError
}

// IsForeign tells that something answered that is not Takaro's API: a proxy's error page, a redirect, another server.
// With a 3xx or 4xx status the URL is probably wrong; that may also pass (a proxy that is being set up).
func IsForeign(err error) bool {
	var api *APIError
	if errors.As(err, &api) {
		return api.foreign()
	}
	return errors.Is(err, errNotTakaro)
}

// IsCircuitOpen tells that nothing was sent, since the endpoint does not answer; see Pool.OnCircuitClosed.
func IsCircuitOpen(err error) bool {
	var open *CircuitOpenError
	return errors.As(err, &open)
}

// IsRateLimited reports that Takaro, or something in front of it, asks for fewer requests, or that this program sends no
// more at present. It says nothing about what the request was for.
func IsRateLimited(err error) bool {
	var limited *RateLimitedError
	var api *APIError
	return errors.As(err, &limited) || errors.As(err, &api) && api.Status == http.StatusTooManyRequests
}

// RetryAfter gives how long to wait before the next try, when err knows: Retry-After of an answer, a paused
// endpoint, the next probe of an open circuit.
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

// takaroCode tells whether err is Takaro's own answer with that status, and that code unless it is empty.
func takaroCode(err error, status int, code string) bool {
	var api *APIError
	return errors.As(err, &api) && !api.foreign() && api.Status == status && (code == "" || api.Code == code)
}
