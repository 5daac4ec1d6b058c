// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

var (
	errTimeout   = errors.New("timed out before the response was complete")
	errNotTakaro = errors.New("response is not from Takaro: check the URL and the proxies in front of it")
)

// exchange sends one request and reads its response, without circuit breaker and rate limit. It returns an envelope for
// status 2xx and an error otherwise, and always the outcome for the endpoint's breaker. The caller releases the memory
// of the response after decoding it.
func (c *Client) exchange(ctx context.Context, k call, body []byte, token Secret, answer *share) (envelope, outcome, error) {
	opts := c.endpoint.pool.opts
	timeout := opts.Timeout
	switch {
	case k.slow:
		timeout = opts.CreateTimeout
	case k.timeout > 0:
		timeout = min(timeout, k.timeout)
	}
	timed, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer cancel()
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(timed, &httptrace.ClientTrace{
		WroteHeaders: func() { sent.Store(true) },
		WroteRequest: func(httptrace.WroteRequestInfo) { sent.Store(true) },
	})
	fail := func(cause error) error {
		return &TransportError{Method: k.method, Path: k.pattern, Host: c.endpoint.host, Sent: sent.Load(), Err: cause, once: !k.idempotent}
	}
	req, err := c.newRequest(traced, k, body, token)
	if err != nil {
		return envelope{}, neutral, err
	}

	start := time.Now()
	resp, err := c.wire.Do(req)
	if err != nil {
		c.endpoint.pool.metrics.observe(c.endpoint.label, k, 0, time.Since(start))
		return envelope{}, transportOutcome(ctx, timed, k, err), fail(cause(timed, err))
	}
	defer func() { _ = resp.Body.Close() }()
	succeeded := resp.StatusCode >= http.StatusOK && resp.StatusCode < http.StatusMultipleChoices
	limit := cmp.Or(k.maxBytes, maxAnswerBytes)
	if !succeeded {
		limit = uncounted
	}
	raw, err := answer.read(timed, resp, limit)
	c.endpoint.pool.metrics.observe(c.endpoint.label, k, resp.StatusCode, time.Since(start))
	if wait := retryAfter(resp.Header, opts.Clock.Now()); wait > 0 && asksForPause(resp.StatusCode) {
		c.endpoint.limiter.pause(wait)
	}
	if !succeeded {
		// The status of an incomplete response is still valid.
		apiErr := newAPIError(k, resp, raw, append(c.scrub(), append(k.secrets, token.Reveal())...), opts.Clock.Now())
		return envelope{}, statusOutcome(k, apiErr), apiErr
	}
	switch {
	case errors.Is(err, errTooLarge):
		return envelope{}, neutral, fail(err)
	case errors.Is(err, errBusy) && !k.changes():
		return envelope{}, neutral, &RateLimitedError{Host: c.endpoint.host, After: busyWait, Memory: true}
	case errors.Is(err, errBusy):
		return envelope{}, neutral, fail(err)
	case err != nil:
		return envelope{}, transportOutcome(ctx, timed, k, err), fail(fmt.Errorf("response is incomplete: %w", cause(timed, err)))
	}
	env, err := parseEnvelope(raw)
	if err != nil {
		return envelope{}, alive, fail(err)
	}
	return env, alive, nil
}

func (c *Client) newRequest(ctx context.Context, k call, body []byte, token Secret) (*http.Request, error) {
	target := c.endpoint.url + k.pattern
	if k.path != "" {
		target = c.endpoint.url + k.path
	}
	if len(k.query) > 0 {
		target += "?" + k.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, k.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, &InputError{Message: k.method + " " + k.pattern + ": URL or ID is invalid"}
	}
	if body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "roadstead")
	switch k.auth {
	case adminAuth:
		req.Header.Set("X-Takaro-Admin-Token", token.Reveal())
	case domainAuth:
		req.Header.Set("X-Takaro-Token", token.Reveal())
	case noAuth:
	}
	return req, nil
}

// cause removes net/http's wrapping, which contains the URL, and returns the cause of a time-out.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

func asksForPause(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}
