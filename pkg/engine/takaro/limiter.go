// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// limiter is the rate limit of one key, with the pauses that its endpoint requests. The bucket may be shared with other
// keys; a pause is not.
type limiter struct {
	clock   clock.Clock
	host    string
	maxWait time.Duration // longer pauses return an error
	bucket  *rate.Limiter

	mu          sync.Mutex
	pausedUntil time.Time
}

// pause delays all requests for d from now. It never shortens a pause.
func (l *limiter) pause(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := l.clock.Now().Add(d); until.After(l.pausedUntil) {
		l.pausedUntil = until
	}
}

func (l *limiter) pauseLeft() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pausedUntil.Sub(l.clock.Now())
}

// wait returns nil when a request may be sent. It returns *RateLimitedError immediately if the wait exceeds ctx or
// maxWait.
func (l *limiter) wait(ctx context.Context) error {
	for {
		if left := l.pauseLeft(); left > 0 {
			if err := l.sleep(ctx, left); err != nil {
				return err
			}
			continue
		}
		// The slot is reserved after the pause, so that its end does not release a burst above the limit.
		now := l.clock.Now()
		slot := l.bucket.ReserveN(now, 1)
		if err := l.sleep(ctx, slot.DelayFrom(now)); err != nil {
			slot.CancelAt(l.clock.Now())
			return err
		}
		if l.pauseLeft() <= 0 {
			return nil
		}
	}
}

func (l *limiter) sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d <= 0 {
		return nil
	}
	deadline, bounded := ctx.Deadline()
	if d > l.maxWait || (bounded && l.clock.Now().Add(d).After(deadline)) {
		return &RateLimitedError{Host: l.host, After: d}
	}
	return sleep(ctx, l.clock, d)
}

// sleep waits for d on c, or returns the context's error.
func sleep(ctx context.Context, c clock.Clock, d time.Duration) error {
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
