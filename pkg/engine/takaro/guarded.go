// SPDX-License-Identifier: Apache-2.0

package takaro

import "net/http"

// Guard is called immediately before each request that changes something in Takaro. If it returns an
// error, the request is not sent, and the call returns that error. done is called when the request
// has ended.
type Guard func() (done func(), err error)

// Guarded returns a client that calls the guard before each request that changes something. It
// shares everything else with c.
func (c *Client) Guarded(guard Guard) *Client {
	guarded := *c
	guarded.guard = guard
	return &guarded
}

// Unlimited returns a client whose requests do not wait for the rate limit. It is intended for few
// requests that must not be delayed, and shares everything else with c.
func (c *Client) Unlimited() *Client {
	unlimited := *c
	unlimited.unlimited = true
	return &unlimited
}

// changes reports whether the request changes something in Takaro. Searches and logins are POST
// requests that do not.
func (k call) changes() bool {
	return k.method != http.MethodGet && !k.reads
}

// pass calls the guard.
func (c *Client) pass(k call) (done func(), err error) {
	if c.guard == nil || !k.changes() {
		return func() {}, nil
	}
	return c.guard()
}
