// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"time"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

// queuedWait is only a fallback: an object is woken when it is its turn.
const queuedWait = 2 * time.Minute

// Queued returns the problem of an object that has to wait before it may send requests to Takaro;
// see package slots. The problem is no evidence about the object, so a status that describes the
// current spec is kept.
func Queued(to endpoint.Resolved) *base.Blocked {
	return &base.Blocked{Reason: v1alpha1.ReasonQueued, RequeueAfter: base.Jitter(queuedWait),
		Message: "Waiting until other objects that use " + to.URL +
			" have been reconciled. If this takes minutes, Takaro answers slowly or many objects were changed."}
}
