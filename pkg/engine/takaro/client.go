// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Client is a client of one Takaro with one admin token. It is safe for concurrent use. Every method waits for the
// rate limit of its Key, honors its context, and returns errors that the Is… functions of this package classify.
type Client struct {
	endpoint   *endpoint
	wire       *http.Client
	adminToken Secret
	tokens     *tokenCache
	creates    chan struct{} // one element for each reserved slot, see CreateSlot
	used       *atomic.Int64 // Unix nanoseconds of the pool's clock

	guard     Guard // nil allows every request
	unlimited bool
}

// auth is the kind of credential of a call.
type auth int

const (
	noAuth auth = iota
	adminAuth
	domainAuth // the token of call.domainID; requested again once if Takaro rejects it
)

// call is one request to Takaro. A new method of Client consists of a call, a type to decode into, and a return.
type call struct {
	method   string
	pattern  string // "/domain/:id", for metrics and errors
	path     string // escaped; the pattern when empty
	query    url.Values
	body     any // nil sends none
	auth     auth
	domainID string // for domainAuth
	// idempotent calls are retried; others are sent once.
	idempotent bool
	// reads is set for POST requests that change nothing.
	reads bool
	// inputMakes500 is set for routes where Takaro responds with 500 to invalid input, so that its own 500
	// does not affect the health of the endpoint.
	inputMakes500 bool
	// slow calls wait for their response for Options.CreateTimeout. A time-out, including one of a proxy,
	// does not affect the health of the endpoint.
	slow bool
	// timeout is the time-out of one attempt if it is less than Options.Timeout; 0 means Options.Timeout.
	timeout time.Duration
	// maxBytes is the maximum size of the response after decompression; 0 means maxAnswerBytes.
	maxBytes int64
	secrets  []string // values in the body that errors must not contain
}

// do sends k and decodes the data of the response into out (unless nil).
func (c *Client) do(ctx context.Context, k call, out any) (envelope, error) {
	c.touch(c.endpoint.pool.opts.Clock.Now())
	body, err := encode(k)
	if err != nil {
		return envelope{}, err
	}
	if k.auth != domainAuth {
		return c.attempts(ctx, k, body, c.adminToken, out)
	}
	token, err := c.tokens.get(ctx, k.domainID, c.fetchToken)
	if err != nil {
		return envelope{}, err
	}
	env, err := c.attempts(ctx, k, body, token, out)
	if !IsUnauthorized(err) {
		return env, err
	}
	c.tokens.drop(k.domainID, token)
	if token, err = c.tokens.get(ctx, k.domainID, c.fetchToken); err != nil {
		return envelope{}, err
	}
	return c.attempts(ctx, k, body, token, out)
}

// attempts sends k once, or up to maxAttempts times if it is idempotent and the endpoint fails.
func (c *Client) attempts(ctx context.Context, k call, body []byte, token Secret, out any) (envelope, error) {
	for n := 1; ; n++ {
		answer := c.endpoint.share()
		env, o, err := c.admitted(ctx, k, body, token, answer)
		if err == nil {
			err = c.decode(k, env, out)
		}
		answer.release()
		if err == nil || !k.idempotent || n == maxAttempts || !worthRetrying(o, err) {
			return env, err
		}
		if sleep(ctx, c.endpoint.pool.opts.Clock, c.backoff(n)) != nil {
			return envelope{}, err
		}
		if c.endpoint.breaker.allow() != nil {
			return envelope{}, err // the failure that opened the circuit is more informative than "circuit open"
		}
	}
}

// admitted sends one request after checking the circuit breaker, the rate limit and the guard.
func (c *Client) admitted(ctx context.Context, k call, body []byte, token Secret, answer *share) (envelope, outcome, error) {
	e := c.endpoint
	if err := e.breaker.allow(); err != nil {
		return envelope{}, neutral, err
	}
	if !c.unlimited {
		if err := e.limiter.wait(ctx); err != nil {
			return envelope{}, neutral, err
		}
	}
	if err := e.breaker.allow(); err != nil { // the circuit may have opened during the wait
		return envelope{}, neutral, err
	}
	done, err := c.pass(k)
	if err != nil {
		return envelope{}, neutral, err
	}
	env, o, err := c.exchange(ctx, k, body, token, answer)
	done()
	e.record(o)
	return env, o, err
}

// worthRetrying reports whether the endpoint failed, did not request a pause, and may respond differently.
func worthRetrying(o outcome, err error) bool {
	if _, asked := RetryAfter(err); asked || notAllowed(err) || errors.Is(err, errTooLarge) || errors.Is(err, errSearchTime) {
		return false
	}
	return o == failing || (IsUnclear(err) && !IsForeign(err))
}

// backoff returns the wait after attempt n: exponential, ±50 %.
func (c *Client) backoff(n int) time.Duration {
	base := c.endpoint.pool.opts.RetryBase << (2 * (n - 1))
	return base/2 + rand.N(base)
}

func (c *Client) touch(now time.Time) { c.used.Store(now.UnixNano()) }
func (c *Client) lastUse() time.Time  { return time.Unix(0, c.used.Load()) }
func (c *Client) scrub() []string     { return []string{c.adminToken.Reveal()} }
func pathID(id string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", &InputError{Message: "Takaro ID is empty or invalid: look up the object again"}
	}
	return url.PathEscape(id), nil
}

func encode(k call) ([]byte, error) {
	if k.body == nil {
		return nil, nil
	}
	body, err := json.Marshal(k.body)
	if err != nil {
		return nil, &InputError{Message: k.method + " " + k.pattern + ": encode request as JSON"}
	}
	return body, nil
}
