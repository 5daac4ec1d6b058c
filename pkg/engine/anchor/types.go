// SPDX-License-Identifier: Apache-2.0

package anchor

import "time"

// The durations of the protocol, measured by the clock of each process.
const (
	// Period is the interval between renewals of the leader, and between looks of all other processes.
	Period = 10 * time.Second
	// RenewTimeout is the time-out of one renewal.
	RenewTimeout = 8 * time.Second
	// Belief is how long a process relies on the last response that showed its own holder.
	Belief = 20 * time.Second
	// StandStill is how long an anchor must not have moved before a new leader replaces its holder. It
	// is longer than Belief, so that the former holder has stopped writing.
	StandStill = 30 * time.Second
	// SecondLook is the time between replacing the holder and reading the anchor again: of two
	// processes that replace it concurrently, one detects the other.
	SecondLook = 2 * time.Second
	// movesOfOther is the number of observed changes by another holder, while leading, after which it
	// is another installation: a single change may be the last request of the former leader.
	movesOfOther = 2
)

// Identity is the part of an anchor that the outside system chose.
type Identity struct {
	ID      string
	Created time.Time
}

// equal reports whether both are the same anchor.
func (i Identity) equal(other Identity) bool {
	return i.ID == other.ID && i.Created.Equal(other.Created)
}

// Anchor is an anchor as the outside system returned it.
type Anchor struct {
	Identity
	// Holder is the holder in its name, "" if it cannot be read.
	Holder string
	// Changed is the time of its last change, by the clock of the outside system.
	Changed time.Time
}

// Known is the result of reading the newest objects with recorded IDs.
type Known string

const (
	// NoneKnown means that no ID is recorded.
	NoneKnown Known = "NoneKnown"
	// OneAnswers means that an object with a recorded ID exists with Roadstead's reference.
	OneAnswers Known = "OneAnswers"
	// NoneAnswers means that IDs are recorded, but none of the objects exists.
	NoneAnswers Known = "NoneAnswers"
)

// Look is one complete observation of the outside system.
type Look struct {
	// Anchor is the anchor with the reference of the installation, nil if there is none.
	Anchor *Anchor
	// Known is required only if the anchor is not the recorded one.
	Known Known
}

// Process describes the deciding process.
type Process struct {
	// Holder is its own holder.
	Holder string
	// Leads is set if it is the leader and not fenced: its Lease is valid.
	Leads bool
}

// Stored is the recorded state of the endpoint.
type Stored struct {
	// Identity is the identity of the recorded anchor, nil if none is recorded.
	Identity *Identity
	// HeldByOther is set if this state was stored and not accepted since.
	HeldByOther bool
	// Accepted is the token that a user accepted, "" for none. See Decision.Token.
	Accepted string
}

// Memory is the state that a process keeps between looks. The zero value is that of a new process.
type Memory struct {
	// own is the time when a response last showed the process's own holder.
	own time.Time
	// anchor is the last observed anchor, since the time of its last observed change. since is zero without an anchor.
	anchor Anchor
	since  time.Time
	// moves is the number of changes by other holders that were observed while leading.
	moves int
}

// Verified reports whether the process may write: it observed its own holder recently. It must also
// not be fenced, which the caller checks for each request.
func (m Memory) Verified(now time.Time) bool {
	return !m.own.IsZero() && now.Sub(m.own) < Belief && !now.Before(m.own)
}
