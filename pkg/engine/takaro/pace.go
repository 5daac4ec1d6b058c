// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"

	"golang.org/x/time/rate"
)

// Pace waits until one more comparison may be sent to the client's endpoint. At most perSecond are sent for its Key, or
// for all keys of tenants at its host together. The rest of the rate is reserved for new and changed objects, which
// therefore never wait for comparisons. All callers should pass the same perSecond; the last value is used. Pace returns
// an error only if the context ends.
func (c *Client) Pace(ctx context.Context, perSecond float64) error {
	clock, pace := c.endpoint.pool.opts.Clock, c.endpoint.rates.comparisons
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
