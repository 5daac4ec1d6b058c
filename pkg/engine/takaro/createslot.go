// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// createSlots is how many creates of domains run at once for one endpoint and token. Takaro seeds
	// each new domain in its single API process: ten at once take as long as ten in a row, so that
	// none is ready before the last.
	createSlots = 3
	// createTimeout is the default of Options.CreateTimeout. A create that is given up may be carried
	// out all the same.
	createTimeout = 3 * time.Minute
)

// ErrNoSlot is returned by CreateSlot while as many domains are being created as one endpoint and
// token may create at once.
var ErrNoSlot = errors.New("three domains are being created with this Takaro endpoint and token, which is the maximum")

// CreateSlot reserves one of the three creates of domains that may be in flight for the client's
// URL, CA and token. It never blocks: ErrNoSlot means that none is free, and that the caller should
// try again in a few seconds. The caller of CreateDomain reserves the slot before it records that
// it is about to create, and calls release when CreateDomain has returned; further calls of release
// do nothing.
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

// creating reports whether a slot is reserved. The pool keeps such a client: a new one would have
// three slots more.
func (c *Client) creating() bool { return len(c.creates) > 0 }
