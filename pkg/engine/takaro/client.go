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

// Client talks to one Takaro as one administrator. It is safe for concurrent use. Every method waits for the
// rate limit of its Key, honors its context, and returns errors that the Is… functions of this package classify.
type Client struct {
	endpoint   *endpoint
	wire       *http.Client
	adminToken Secret
	tokens     *tokenCache
	creates    chan struct{} // one element for each reserved slot, see CreateSlot
	used       *atomic.Int64 // Unix nanoseconds of the pool's clock

	guard     Guard // nil admits everything
	unlimited bool
}

// auth says which credential a call carries.
type auth int

const (
	noAuth auth = iota
	adminAuth
	domainAuth // the token of call.domainID; got again once when Takaro refuses it
)

// call is one request to Takaro. A new method of Client is a call, a type to decode into, and a return.
type call struct {
	method   string
	pattern  string // "/domain/:id", for metrics and errors
	path     string // escaped; the pattern when empty
	query    url.Values
	body     any // nil sends none
	auth     auth
	domainID string // for domainAuth
	// idempotent calls are tried again in process; the others are sent once.
	idempotent bool
	// reads marks POST requests that change nothing.
	reads bool
	// inputMakes500 marks routes where Takaro answers 500 to input that it does not like: its own 500 there
	// says nothing about the endpoint's health.
	inputMakes500 bool
	// slow calls have Options.CreateTimeout for their answer; that there is none in time, also for a
	// proxy, says nothing about the endpoint's health.
	slow bool
	// timeout is that of one attempt if it is less than Options.Timeout; 0 is that.
	timeout time.Duration
	// maxBytes is what is read of the answer, after decompression; 0 is maxAnswerBytes.
	maxBytes int64
	secrets  []string // texts in the body that an error must not repeat
}

// do sends k and decodes the data of the answer into out (unless nil).
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

// attempts sends k once, or up to maxAttempts times when it is idempotent and the endpoint fails.
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
			return envelope{}, err // the failure that opened the circuit says more than "circuit open"
		}
	}
}

// admitted is one exchange behind the circuit breaker and the rate limit.
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
	if err := e.breaker.allow(); err != nil { // it may have opened during the wait
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

// worthRetrying reports whether the endpoint failed and did not ask for a pause, and another answer may be expected.
func worthRetrying(o outcome, err error) bool {
	if _, asked := RetryAfter(err); asked || notAllowed(err) || errors.Is(err, errTooLarge) || errors.Is(err, errSearchTime) {
		return false
	}
	return o == failing || (IsUnclear(err) && !IsForeign(err))
}

// backoff is the wait after attempt n: exponential, ±50 %.
func (c *Client) backoff(n int) time.Duration {
	base := c.endpoint.pool.opts.RetryBase << (2 * (n - 1))
	return base/2 + rand.N(base)
}

func (c *Client) touch(now time.Time) { c.used.Store(now.UnixNano()) }
func (c *Client) lastUse() time.Time  { return time.Unix(0, c.used.Load()) }
func (c *Client) scrub() []string     { return []string{c.adminToken.Reveal()} }
func pathID(id string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", &InputError{Message: "a Takaro id is empty or not an id: look the object up again"}
	}
	return url.PathEscape(id), nil
}

func encode(k call) ([]byte, error) {
	if k.body == nil {
		return nil, nil
	}
	body, err := json.Marshal(k.body)
	if err != nil {
		return nil, &InputError{Message: k.method + " " + k.pattern + ": the request cannot be encoded as JSON"}
	}
	return body, nil
}
