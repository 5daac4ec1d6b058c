// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"errors"
	"time"
)

const (
	// Timeout is how long one reconciliation may take. What does not answer must not occupy a worker
	// for longer.
	Timeout = time.Minute
	// DomainTimeout is Timeout for Domains: Takaro may take 3 minutes to create a domain, and its root
	// password must be stored then.
	DomainTimeout = 5 * time.Minute
	// RenderTimeout is Timeout for OperatorVersions: a chart may be rendered for a minute, after it
	// was downloaded, and that this was too slow must be known then.
	RenderTimeout = 3 * time.Minute
	// reportTime is the part of a reconciliation's time that is left to write the status.
	reportTime = 10 * time.Second
)

// errWorkTimeout is the cause of the end of a context of Work.
var errWorkTimeout = errors.New("the time of one reconciliation is over")

// Work returns a context for what a reconciliation does before it writes the status. It ends 10
// seconds before ctx, so that the status can still say what took so long. Without a deadline of ctx
// it ends with ctx. The caller must call the returned function when the work is done.
func Work(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, deadline.Add(-reportTime), errWorkTimeout)
}
