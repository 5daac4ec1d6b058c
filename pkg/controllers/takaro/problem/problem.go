// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"cmp"
	"time"

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

// Problem is why the work stopped. With neither Wait nor Retry nothing happens before the spec, a Secret or another object
// that is referred to changes.
type Problem struct {
	// Reason and Message go into the conditions.
	Reason, Message string
	// Endpoint tells that Takaro could not be asked, so that what is there is not known.
	Endpoint bool
	// Steady reports that nothing is known to be wrong: an object that is Ready stays so.
	Steady bool
	// Wait is how long until the next look, without back-off.
	Wait time.Duration
	// Retry is the error to back off on.
	Retry error
}

// Error returns the message.
func (p *Problem) Error() string { return p.Message }

// KeepsReady reports whether an object that is Ready with its present spec stays so, and nothing is stored. p may be nil.
func (p *Problem) KeepsReady() bool {
	return p != nil && (p.Steady || p.Reason == ownership.ReasonEndpointVerifying)
}

// endpointRow is the row of ownership.Decide by which an unverified endpoint stops everything.
const endpointRow = 3

// OfDecision is the problem of a decision to wait or to refuse.
func OfDecision(d ownership.Decision) *Problem {
	return &Problem{Endpoint: d.Row == endpointRow, Reason: d.Reason, Message: d.Message, Wait: cmp.Or(d.After, ForeignWait)}
}
