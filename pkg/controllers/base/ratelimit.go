// SPDX-License-Identifier: Apache-2.0

package base

import (
	"math/rand/v2"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
	// jitter is the fraction by which delays vary, to spread objects that failed together: ±20 %.
	jitter = 0.2
)

type jittered struct {
	workqueue.TypedRateLimiter[reconcile.Request]
}

// RateLimiter returns the rate limiter for failing objects: 1 s, doubling to 5 min, each ±20 % but
// never above 5 min.
func RateLimiter() workqueue.TypedRateLimiter[reconcile.Request] {
	return jittered{workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff)}
}

// When returns the delay before the next attempt.
func (j jittered) When(request reconcile.Request) time.Duration {
	return min(Jitter(j.TypedRateLimiter.When(request)), maxBackoff)
}

// Jitter returns d ±20 %.
func Jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*rand.Float64()))
}
