// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"cmp"
	"time"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

const (
	// CircuitWait is a safety net only: the closing circuit wakes its objects.
	CircuitWait = 2 * time.Minute
	// outageTolerated is how long a circuit may be open before objects that were Ready say so. A restart of Takaro is
	// shorter.
	outageTolerated = time.Minute
	// ForeignWait is between looks at what only others can change, for example a name that is taken.
	ForeignWait = 5 * time.Minute
	// RefusedWait is between the first two tries of a token that Takaro refused. See Refusals.
	RefusedWait = 25 * time.Second
)

// endpointRow is the row of ownership.Decide by which an unverified endpoint stops everything.
const endpointRow = 3

// OfDecision returns why a decision is to wait or to refuse.
func OfDecision(d ownership.Decision) *base.Blocked {
	return &base.Blocked{
		Unknown: d.Row == endpointRow, Steady: d.Reason == ownership.ReasonEndpointVerifying,
		Reason: d.Reason, Message: d.Message, RequeueAfter: cmp.Or(d.After, ForeignWait),
	}
}
