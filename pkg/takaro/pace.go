// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"

	"golang.org/x/time/rate"
)

// Pace waits until one more comparison may be sent to the client's URL: there are at most perSecond of them, whoever makes
// them and with whichever token. What is left of the URL's rate is for new and changed objects, which so never queue behind
// comparisons. All callers of a URL should give the same perSecond; the last one counts. Only the context's end is an error.
func (c *Client) Pace(ctx context.Context, perSecond float64) error {
	clock, pace := c.endpoint.pool.opts.Clock, c.endpoint.pace
	now := clock.Now()
	pace.SetLimitAt(now, rate.Limit(perSecond))
	slot := pace.ReserveN(now, 1)
	if err := ctx.Err(); err != nil {
		slot.CancelAt(now)
		return err
	}
	delay := slot.DelayFrom(now)
	if delay <= 0 {
		return nil
	}
	if err := sleep(ctx, clock, delay); err != nil {
		slot.CancelAt(clock.Now())
		return err
	}
	return nil
}
