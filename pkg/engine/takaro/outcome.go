// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// transportOutcome returns the outcome of a request without a response; timed is caller with the time-out of k. Requests
// that the caller canceled or netguard refused, because of the address or because the controller lost its Lease, are not
// the endpoint's fault. An untrusted certificate may be caused by the CA of the key. A time-out is the endpoint's fault,
// unless the call is known to be slow, or is one page of a search that exceeded its time limit.
func transportOutcome(caller, timed context.Context, k call, err error) outcome {
	switch {
	case notAllowed(err), notTrusted(err), errors.Is(caller.Err(), context.Canceled), errors.Is(context.Cause(caller), errSearchTime),
		k.slow && timed.Err() != nil:
		return neutral
	}
	return failing
}

// notAllowed reports whether this process did not send the request because it must not.
func notAllowed(err error) bool {
	return netguard.IsRefused(err) || netguard.IsWriteRefused(err) || errors.Is(err, netguard.ErrOwnUnknown)
}

// notTrusted reports whether the certificate of the server could not be verified.
func notTrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	return errors.As(err, &verification)
}

// statusOutcome returns the outcome of a response other than 2xx.
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
