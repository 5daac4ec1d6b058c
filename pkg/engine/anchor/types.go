// SPDX-License-Identifier: Apache-2.0

package anchor

import "time"

// The times of the protocol, each by the clock of the process that measures it.
const (
	// Period is between renewals of the leader, and between looks of all others.
	Period = 10 * time.Second
	// RenewTimeout bounds one renewal.
	RenewTimeout = 8 * time.Second
	// Belief is how long a process relies on the last answer that showed its own holder.
	Belief = 20 * time.Second
	// StandStill is how long an anchor must not have moved before a new leader takes it. It is
	// longer than Belief, so that the former holder stopped writing before.
	StandStill = 30 * time.Second
	// SecondLook is between taking the holder and reading the anchor again: of two processes that
	// take it together, one finds the other.
	SecondLook = 2 * time.Second
	// movesOfOther is the number of changes by another holder, seen while leading, after which it
	// is another installation: one may be the last request of the former leader.
	movesOfOther = 2
)

// Identity is what the outside system chose for an anchor.
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
	// Holder is that of its name, "" if it cannot be read.
	Holder string
	// Changed is the time of its last change, by the clock of the outside system.
	Changed time.Time
}

// Known is what became of the objects with recorded ids, of which the newest are looked at.
type Known string

const (
	// NoneKnown means that no id is recorded.
	NoneKnown Known = "NoneKnown"
	// OneAnswers means that an object with a recorded id answers under Roadstead's reference.
	OneAnswers Known = "OneAnswers"
	// NoneAnswers means that ids are recorded, and none answers.
	NoneAnswers Known = "NoneAnswers"
)

// Look is one complete look at the outside system.
type Look struct {
	// Anchor is the one with the reference of the installation, nil if there is none.
	Anchor *Anchor
	// Known is needed only if the anchor is not the recorded one.
	Known Known
}

// Process is what a process knows of itself.
type Process struct {
	// Holder is its own holder.
	Holder string
	// Leads reports whether it is the leader and not fenced: its Lease is valid.
	Leads bool
}

// Stored is what is recorded for the endpoint.
type Stored struct {
	// Identity is that of the recorded anchor, nil if none is.
	Identity *Identity
	// HeldByOther reports that this state was stored and not accepted since.
	HeldByOther bool
	// Accepted is the token that a person accepted, "" for none. See Decision.Token.
	Accepted string
}

// Memory is what a process remembers between looks. The zero value is that of a new process.
type Memory struct {
	// own is when an answer last showed the process's own holder.
	own time.Time
	// anchor is the last one seen, and since when it has looked so. since is zero without one.
	anchor Anchor
	since  time.Time
	// moves counts the changes under other holders that were seen while leading.
	moves int
}

// Verified reports whether the process may write: it saw its own holder recently. It must also not
// be fenced, which the caller checks for each request.
func (m Memory) Verified(now time.Time) bool {
	return !m.own.IsZero() && now.Sub(m.own) < Belief && !now.Before(m.own)
}
