// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var errSecretType = errors.New("a secret value is not a JSON string")

// APIError is an answer with a status other than 2xx. Its text carries status, code and, for a validation
// error, names of properties and broken constraints; never a value or the body, since Takaro's validation
// errors repeat the whole request.
type APIError struct {
	Method  string
	Path    string // pattern: "/domain/:id"
	Status  int
	Code    string // class name in Takaro's envelope ("NotFoundError"); empty when the answer is not Takaro's own
	Message string
	// RetryAfter is what the answer asked for; 0 when it asked for nothing.
	RetryAfter time.Duration
}

// Error says who answered what to which request.
func (e *APIError) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("%s %s: status %d that is not Takaro's own answer: %s", e.Method, e.Path, e.Status, e.Message)
	}
	text := fmt.Sprintf("%s %s: Takaro answered %d %s", e.Method, e.Path, e.Status, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// foreign tells whether something else than Takaro's API answered: a proxy, or another server.
func (e *APIError) foreign() bool { return e.Code == "" }

// TransportError is a request that got no answer, or a 2xx answer that could not be read.
type TransportError struct {
	Method string
	Path   string // pattern
	Host   string
	// Sent is true when the request may have reached Takaro, so that its effect is unknown.
	Sent bool
	Err  error

	once bool // not idempotent: that its effect is unknown matters to the reader
}

// Error names the host, and says whether the effect of the request is unknown.
func (e *TransportError) Error() string {
	text := fmt.Sprintf("%s %s at %s: %v", e.Method, e.Path, e.Host, e.Err)
	if e.Sent && e.once {
		text += " (the request may have been carried out)"
	}
	return text
}

// Unwrap gives the cause: a *netguard.RefusedError, context.Canceled, a TLS error …
func (e *TransportError) Unwrap() error { return e.Err }

// CircuitOpenError is returned immediately, without a request, while the circuit of a key is open.
type CircuitOpenError struct {
	Host  string
	Until time.Time     // of the next probe, which may close the circuit
	After time.Duration // from now to Until
	For   time.Duration // since the circuit opened
	// Cause is why the last probe failed, nil before the first one. It says nothing of the present call.
	Cause error
}

// Error says that the endpoint is down and when it is asked again.
func (e *CircuitOpenError) Error() string {
	return fmt.Sprintf("Takaro at %s does not answer; it is asked again at %s", e.Host, e.Until.UTC().Format(time.RFC3339))
}

// RateLimitedError is returned immediately, without a request, when the key's rate limit or a pause that Takaro
// asked for would outlast the context or the time-out. It is also returned for a request that changes nothing if too
// many large answers are being read.
type RateLimitedError struct {
	Host  string
	After time.Duration
	// Memory reports that the answer, not the request, had to wait.
	Memory bool
}

// Error says how long requests to the endpoint have to wait.
func (e *RateLimitedError) Error() string {
	if e.Memory {
		return fmt.Sprintf("the answer of Takaro at %s has to wait: %v", e.Host, errBusy)
	}
	return fmt.Sprintf("requests to Takaro at %s have to wait for %s (rate limit or Retry-After)", e.Host, e.After.Round(time.Millisecond))
}

// InputError is a call that cannot be sent as it was made; no request was sent.
type InputError struct{ Message string }

// Error gives the message.
func (e *InputError) Error() string { return e.Message }

// clean makes server-made text fit for one line of a log: known secrets, control characters and overlength
// are removed.
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
