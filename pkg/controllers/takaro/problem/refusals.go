// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// refusedMaxWait is the maximum delay after a rejected token. A changed Secret ends the delay, and
// so does a successful comparison, because every comparison tries the token.
const refusedMaxWait = 5 * time.Minute

// Refusals contains the delays of the objects of one kind whose token Takaro rejects: RefusedWait,
// doubling to 5 minutes, ±20 %. Thousands of objects may use the same token.
type Refusals struct {
	waits workqueue.TypedRateLimiter[types.NamespacedName]
}

// NewRefusals returns Refusals without objects.
func NewRefusals() *Refusals {
	return &Refusals{waits: workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](RefusedWait, refusedMaxWait)}
}

// Wait returns the delay of an object that was stopped with the reason and the delay of its
// problem. A reason other than a rejected token resets the delay.
func (r *Refusals) Wait(object types.NamespacedName, reason string, wait time.Duration) time.Duration {
	if reason != v1alpha1.ReasonAdminTokenRefused {
		r.Forget(object)
		return wait
	}
	return base.Jitter(r.waits.When(object))
}

// Forget resets the delay of an object: the token was accepted, or the object no longer exists.
func (r *Refusals) Forget(object types.NamespacedName) { r.waits.Forget(object) }
