// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var errSecretType = errors.New("a secret value is not a JSON string")

// APIError is a response with a status other than 2xx. Its text contains the status, the code and, for a validation
// error, names of properties and violated constraints. It never contains values or the body, because Takaro's
// validation errors repeat the entire request.
type APIError struct {
	Method  string
	Path    string // pattern: "/domain/:id"
	Status  int
	Code    string // class name in Takaro's envelope ("NotFoundError"); empty if the response is not from Takaro
	Message string
	// RetryAfter is the wait that the response requested; 0 if it requested none.
	RetryAfter time.Duration
}

// Error returns the request, the status and the message.
func (e *APIError) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%s %s: response with status %d is not from Takaro: %s", e.Method, e.Path, e.Status, e.Message)
	}
	text := fmt.Sprintf("%s %s: Takaro returned %d %s", e.Method, e.Path, e.Status, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// foreign reports whether the response is not from Takaro's API but from a proxy or another server.
func (e *APIError) foreign() bool { return e.Code == "" }

// TransportError is returned for a request without a response, or with a 2xx response that could not be read.
type TransportError struct {
	Method string
	Path   string // pattern
	Host   string
	// Sent is true if Takaro may have received the request, so that its effect is unknown.
	Sent bool
	Err  error

	once bool // not idempotent: the message states that the effect is unknown
}

// Error returns the request, the host and the cause, and whether the effect of the request is unknown.
func (e *TransportError) Error() string {
	text := fmt.Sprintf("%s %s at %s: %v", e.Method, e.Path, e.Host, e.Err)
	if e.Sent && e.once {
		text += " (the request may have been processed)"
	}
	return text
}

// Unwrap returns the cause: a *netguard.RefusedError, context.Canceled, a TLS error …
func (e *TransportError) Unwrap() error { return e.Err }

// CircuitOpenError is returned immediately, without a request, while the circuit of a key is open.
type CircuitOpenError struct {
	Host  string
	Until time.Time     // of the next probe, which may close the circuit
	After time.Duration // from now to Until
	For   time.Duration // since the circuit opened
	// Cause is the error of the last probe, nil before the first one. It is not about the current call.
	Cause error
}

// Error returns the host and the time of the next probe.
func (e *CircuitOpenError) Error() string {
	return fmt.Sprintf("Takaro at %s does not respond; the next attempt is at %s", e.Host, e.Until.UTC().Format(time.RFC3339))
}

// RateLimitedError is returned immediately, without a request, if the wait for the key's rate limit or for a pause that
// Takaro requested exceeds the context or the time-out. It is also returned for a request that changes nothing if too
// many large responses are being read.
type RateLimitedError struct {
	Host  string
	After time.Duration
	// Memory is set if the response, not the request, had to wait.
	Memory bool
}

// Error returns how long requests to the endpoint must wait.
func (e *RateLimitedError) Error() string {
	if e.Memory {
		return fmt.Sprintf("response of Takaro at %s was not read: %v", e.Host, errBusy)
	}
	return fmt.Sprintf("requests to Takaro at %s must wait for %s (rate limit or Retry-After)", e.Host, e.After.Round(time.Millisecond))
}

// InputError is returned for a call that cannot be sent; no request was sent.
type InputError struct{ Message string }

// Error returns the message.
func (e *InputError) Error() string { return e.Message }

// clean returns text from a server as a single line of limited length, without known secrets and control characters.
func clean(text string, secrets ...string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, redacted)
		}
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	if len(text) > maxErrorTextBytes {
		text = strings.ToValidUTF8(text[:maxErrorTextBytes], "") + "…"
	}
	return strings.TrimSpace(text)
}
