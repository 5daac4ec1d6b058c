// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// createSlots is the maximum number of concurrent creates of domains for one endpoint and token.
	// Takaro seeds each new domain in its single API process: ten concurrent creates take as long as
	// ten sequential ones, but none is ready before the last.
	createSlots = 3
	// createTimeout is the default of Options.CreateTimeout. Takaro may still process a create that
	// timed out.
	createTimeout = 3 * time.Minute
)

// ErrNoSlot is returned by CreateSlot if the maximum number of concurrent creates of domains for one
// endpoint and token is reached.
var ErrNoSlot = errors.New("the maximum of three concurrent domain creations with this Takaro endpoint and token is reached")

// CreateSlot reserves one of the three concurrent creates of domains for the client's URL, CA and
// token. It does not block: ErrNoSlot means that no slot is available, and that the caller should
// retry in a few seconds. The caller of CreateDomain reserves the slot before it records the
// attempt, and calls release after CreateDomain has returned. Further calls of release have no
// effect.
func (c *Client) CreateSlot(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.touch(c.endpoint.pool.opts.Clock.Now())
	select {
	case c.creates <- struct{}{}:
		return sync.OnceFunc(func() { <-c.creates }), nil
	default:
		return nil, ErrNoSlot
	}
}

// creating reports whether a slot is reserved. The pool keeps such a client, because a new client
// would have three additional slots.
func (c *Client) creating() bool { return len(c.creates) > 0 }
