// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"context"
	"sync/atomic"

	"k8s.io/client-go/util/flowcontrol"
)

// question is one call of the authorizer. It is in the context, because the cache is inside the
// authorizer of the generic server and does not report whether it had the decision; the client and
// the transport below it know.
type question struct {
	// user is the name of the caller.
	user string
	// asked is set when a review is sent.
	asked atomic.Bool
	// caller is set while the question has a place among the caller's reviews in flight.
	caller *caller
}

type questionKey struct{}

func (q *question) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, questionKey{}, q)
}

func questionFrom(ctx context.Context) (*question, bool) {
	q, ok := ctx.Value(questionKey{}).(*question)
	return q, ok
}

// end returns the place.
func (q *question) end() {
	if q.caller != nil {
		q.caller.inFlight.Release(1)
	}
}

// perCaller is the rate limiter of the client: it waits for the limit of the caller before the
// limit of all reviews. The client waits for it before the timeout of a review starts.
type perCaller struct {
	flowcontrol.RateLimiter
	callers *Callers
}

// Wait implements flowcontrol.RateLimiter.
func (l perCaller) Wait(ctx context.Context) error {
	if q, ok := questionFrom(ctx); ok {
		if err := l.callers.await(ctx, q); err != nil {
			return err
		}
	}
	return l.RateLimiter.Wait(ctx)
}
