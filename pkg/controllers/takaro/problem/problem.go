// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"cmp"
	"time"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	// CircuitWait is only a fallback: the circuit breaker wakes its objects when it closes.
	CircuitWait = 2 * time.Minute
	// outageTolerated is how long a circuit may be open before objects that were Ready report it. A
	// restart of Takaro takes less time.
	outageTolerated = time.Minute
	// ForeignWait is the time between checks of a state that only others can change, for example a
	// name that is in use.
	ForeignWait = 5 * time.Minute
	// RefusedWait is the time between the first two attempts with a token that Takaro rejected. See
	// Refusals.
	RefusedWait = 25 * time.Second
)

// endpointRow is the row of ownership.Decide by which an unverified endpoint blocks everything.
const endpointRow = 3

// OfDecision returns why a decision is to wait or to refuse.
func OfDecision(d ownership.Decision) *base.Blocked {
	return &base.Blocked{
		Unknown: d.Row == endpointRow, Steady: d.Reason == ownership.ReasonEndpointVerifying,
		Reason: d.Reason, Message: d.Message, RequeueAfter: cmp.Or(d.After, ForeignWait),
	}
}
