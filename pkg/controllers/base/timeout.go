// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"errors"
	"time"
)

const (
	// Timeout is the maximum duration of one reconciliation. An endpoint that does not respond must
	// not block a worker for longer.
	Timeout = time.Minute
	// DomainTimeout is the Timeout for Domains: Takaro may take 3 minutes to create a domain, and
	// its root password must be stored after that.
	DomainTimeout = 5 * time.Minute
	// RenderTimeout is the Timeout for OperatorVersions: rendering a chart may take a minute after
	// it was downloaded, and there must be time to report that it took too long.
	RenderTimeout = 3 * time.Minute
	// reportTime is the part of a reconciliation's time that is reserved for writing the status.
	reportTime = 10 * time.Second
)

// errWorkTimeout is the cause of a context of Work that timed out.
var errWorkTimeout = errors.New("the time of one reconciliation is over")

// Work returns a context for the part of a reconciliation that precedes the status write. It ends
// 10 seconds before ctx, so that the status can still report what took too long. If ctx has no
// deadline, it ends with ctx. The caller must call the returned function when the work is done.
func Work(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, deadline.Add(-reportTime), errWorkTimeout)
}
