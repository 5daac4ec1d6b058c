// SPDX-License-Identifier: Apache-2.0

package anchor

import "time"

// State is the state of the outside system according to a look.
type State string

const (
	// Verified means that the anchor is the recorded one and that this process holds it.
	Verified State = "Verified"
	// Verifying means that the state is not known yet. Nothing is written, and nothing is stored.
	Verifying State = "Verifying"
	// HeldByOther means that another installation writes to the outside system.
	HeldByOther State = "HeldByOther"
	// IdentityChanged means that another outside system responds.
	IdentityChanged State = "IdentityChanged"
)

// Action is what a process does about an anchor. Only the leader gets an action other than None.
type Action string

const (
	// None does nothing.
	None Action = "None"
	// Make creates the anchor with the process's own holder, and records it.
	Make Action = "Make"
	// Record stores Decision.Identity as that of the endpoint.
	Record Action = "Record"
	// Take writes the process's own holder into the name of the anchor.
	Take Action = "Take"
	// Renew updates the anchor without a change, which moves the time of its last change.
	Renew Action = "Renew"
)

// Decision is the result of one look.
type Decision struct {
	State  State
	Action Action
	// Identity is the identity that Record stores.
	Identity Identity
	// Token accepts the observed anchor in the states HeldByOther and IdentityChanged. It depends on the
	// observed anchor.
	Token string
	// Next is the time until the next look.
	Next time.Duration
}

// Decide returns the decision that follows from a look, and the new memory of the process.
//
//	recorded anchor  found           a known object      result
//	none             none            none known, answers Make
//	none             one             none known, answers Record
//	any              none            none answers        IdentityChanged
//	one              another         any                 IdentityChanged
//	one              none            none known, answers Make
//	one              the same        any                 decided by its holder
//
// An anchor with the process's own holder is Verified. Another holder is replaced if it is Released or did
// not move for StandStill. If it moves twice while this process leads, the state is HeldByOther.
func Decide(stored Stored, look Look, process Process, m Memory, now time.Time) (Decision, Memory) {
	token := tokenOf(look.Anchor)
	accepted := stored.Accepted != "" && stored.Accepted == token
	m = m.see(look.Anchor, process, now)
	fits := look.Anchor != nil && stored.Identity != nil && look.Anchor.equal(*stored.Identity)
	if !fits {
		m.own = time.Time{}
		return identify(stored, look, process, accepted, token), m
	}
	return judge(*look.Anchor, stored.HeldByOther && !accepted, accepted, process, &m, now), m
}

// identify decides if the recorded anchor was not found.
func identify(stored Stored, look Look, process Process, accepted bool, token string) Decision {
	another := stored.Identity != nil && look.Anchor != nil
	if !accepted && (another || look.Known == NoneAnswers) {
		return Decision{State: IdentityChanged, Action: None, Token: token, Next: Period}
	}
	d := Decision{State: Verifying, Action: None, Next: Period}
	switch {
	case !process.Leads:
	case look.Anchor == nil:
		d.Action, d.Next = Make, SecondLook
	default:
		d.Action, d.Identity, d.Next = Record, look.Anchor.Identity, SecondLook
	}
	return d
}

// judge decides if the recorded anchor was found.
func judge(anchor Anchor, other, accepted bool, process Process, m *Memory, now time.Time) Decision {
	d := Decision{State: Verifying, Action: None, Next: Period}
	wait := StandStill - now.Sub(m.since)
	switch {
	case anchor.Holder == process.Holder && process.Leads:
		d.State, d.Action = Verified, Renew
	case anchor.Holder == process.Holder || !process.Leads && !other:
	case other, m.moves >= movesOfOther && !accepted:
		d.State, d.Token = HeldByOther, tokenOf(&anchor)
	case anchor.Holder == Released, wait <= 0, accepted:
		m.moves = 0
		d.Action, d.Next = Take, SecondLook
	default:
		d.Next = min(Period, wait)
	}
	return d
}

// see records the result of a look.
func (m Memory) see(anchor *Anchor, process Process, now time.Time) Memory {
	if anchor == nil {
		return Memory{}
	}
	known := !m.since.IsZero() && m.anchor.equal(anchor.Identity)
	moved := known && (m.anchor.Holder != anchor.Holder || !m.anchor.Changed.Equal(anchor.Changed))
	switch {
	case anchor.Holder == process.Holder && process.Leads:
		m.own, m.moves = now, 0
	default:
		m.own = time.Time{}
		if moved && process.Leads && anchor.Holder != Released {
			m.moves++
		}
	}
	if !process.Leads {
		m.moves = 0
	}
	if !known || moved {
		m.anchor, m.since = *anchor, now
	}
	return m
}

// tokenOf returns the token that accepts an anchor.
func tokenOf(anchor *Anchor) string {
	if anchor == nil {
		return Released + "/" + Released
	}
	return anchor.ID + "/" + HolderOrUnreadable(anchor.Holder)
}
