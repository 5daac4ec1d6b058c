// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// refusedMaxWait is the longest wait after a refused token. A changed Secret ends it, and so does
// Takaro if it accepts the token again, because every comparison tries it.
const refusedMaxWait = 5 * time.Minute

// Refusals are the waits of the objects of one kind whose token Takaro refuses: RefusedWait, doubling
// to 5 minutes, ±20 %. One token may be that of thousands of objects.
type Refusals struct {
	waits workqueue.TypedRateLimiter[types.NamespacedName]
}

// NewRefusals returns Refusals without an object.
func NewRefusals() *Refusals {
	return &Refusals{waits: workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](RefusedWait, refusedMaxWait)}
}

// Wait returns how long an object waits that was stopped with the reason and the wait of its
// problem. Another reason than a refused token ends the growth.
func (r *Refusals) Wait(object types.NamespacedName, reason string, wait time.Duration) time.Duration {
	if reason != v1alpha1.ReasonAdminTokenRefused {
		r.Forget(object)
		return wait
	}
	return base.Jitter(r.waits.When(object))
}

// Forget ends the growth of an object's waits: the token was accepted, or the object no longer exists.
func (r *Refusals) Forget(object types.NamespacedName) { r.waits.Forget(object) }
