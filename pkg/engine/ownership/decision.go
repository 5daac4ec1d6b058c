// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Verdict is the kind of a Decision.
type Verdict string

const (
	// Act means that Decision.Action is to be performed.
	Act Verdict = "Act"
	// Wait means that nothing is to be done until Decision.After, or until what is read changes.
	Wait Verdict = "Wait"
	// Refuse means that nothing is to be done until a user changes the spec or the outside
	// object.
	Refuse Verdict = "Refuse"
)

// Action is what to do. Unless noted, it is a request to the outside system.
type Action string

const (
	// Change updates the object with Decision.ID to what the spec asks for. If Observed came from
	// a cache, the object is read again and decided on before its reference is changed.
	Change Action = "Change"
	// Create creates an object with Decision.Key.
	Create Action = "Create"
	// Adopt records Decision.ID as Held. It sends no request.
	Adopt Action = "Adopt"
	// Regain records a Lost Decision.ID as Held. It sends no request.
	Regain Action = "Regain"
	// Lose records a Held Decision.ID as Lost. It sends no request.
	Lose Action = "Lose"
	// Delete deletes the object with Decision.ID.
	Delete Action = "Delete"
	// Disable disables the object with Decision.ID. That ends the deletion of the API object.
	Disable Action = "Disable"
	// Remove deletes the object with Decision.ID, which an interrupted create left and nobody
	// used.
	Remove Action = "Remove"
	// Leave ends the deletion of the API object. The outside object with Decision.ID stays, which
	// an event reports. It sends no request.
	Leave Action = "Leave"
	// Done ends the deletion of the API object. It sends no request.
	Done Action = "Done"
	// Look asks to read everything again, past all caches, and to decide again with Observed.Live
	// set. It precedes all that cannot be undone.
	Look Action = "Look"
)

// The reasons of Wait and Refuse, in addition to those of the endpoint.
const (
	// ReasonSearchIncomplete: what was read is incomplete or contradicts itself.
	ReasonSearchIncomplete = "SearchIncomplete"
	// ReasonReferenceChanged: the held object carries a reference that Roadstead did not set.
	ReasonReferenceChanged = "ReferenceChanged"
	// ReasonVanished: the held object no longer exists in the outside system.
	ReasonVanished = "Vanished"
	// ReasonTaken: an object that Roadstead did not create has the name in the spec.
	ReasonTaken = "Taken"
	// ReasonInterruptedCreate: what an interrupted create left is removed soon.
	ReasonInterruptedCreate = "InterruptedCreate"
	// ReasonCreateUnclear: a create was sent and its outcome is not known.
	ReasonCreateUnclear = "CreateUnclear"
	// ReasonNothingToAdopt: the object that the spec asks to adopt does not exist.
	ReasonNothingToAdopt = "NothingToAdopt"
	// ReasonLedgerNotKept: the API server dropped the intent.
	ReasonLedgerNotKept = "LedgerNotKept"
	// ReasonDeletionHeld: more is being deleted at once than the share that needs no release.
	ReasonDeletionHeld = "DeletionHeld"
	// ReasonEndpointVerifying: the identity of the outside system is being checked.
	ReasonEndpointVerifying = "EndpointVerifying"
	// ReasonIdentityChanged: another system answers at the address of the recorded one.
	ReasonIdentityChanged = "IdentityChanged"
	// ReasonHeldByOther: another installation of the same name writes to the outside system.
	ReasonHeldByOther = "HeldByOther"
)

// The times that Decide waits for.
const (
	// CreateWindow is how long a create may arrive after its intent was stored. Requests end
	// after 3 minutes.
	CreateWindow = 4 * time.Minute
	// VanishedWindow is how far apart two complete lists must be that both lack a held object.
	VanishedWindow = time.Minute
	// RemovalGrace is the age of an intent before what its create left is removed the first time.
	RemovalGrace = 10 * time.Second
	// FenceGrace is how long after the change of leader the former leader may still write.
	FenceGrace = 30 * time.Second
	// pause is how long to wait for what has no time of its own.
	pause = time.Minute
)

// removalAge returns how old an intent must be before what its create left is removed again: 10
// s, then 1, 2, 4 … 30 min. A create that always outlasts its request must not turn into a loop.
func removalAge(tries int32) time.Duration {
	const limit = 30 * time.Minute
	switch {
	case tries <= 0:
		return RemovalGrace
	case tries > 5:
		return limit
	}
	return min(time.Minute<<(tries-1), limit)
}

// Decision is what to do about one outside object.
type Decision struct {
	Verdict Verdict
	// Action is set if Verdict is Act.
	Action Action
	// Reason and Message are set for Wait, Refuse, Look and Leave. The message says what ends a
	// wait.
	Reason, Message string
	// After is when to decide again at the latest. It is set for Wait.
	After time.Duration
	// ID is the outside object that Action concerns. It is empty for Create.
	ID string
	// Key is the create key.
	Key string
	// Ledger must be stored before a request is sent, and its stored form be read back. It equals
	// the given ledger if nothing changes.
	Ledger Ledger
	// Mark asks to change the reference of ID to Want.Retained first.
	Mark bool
	// Left are the ids of objects that stay, or may reappear, under the create key and could not
	// be marked; for an object without a recorded id it is the key. The caller records them, so
	// that they are marked later and not taken for orphans.
	Left []string
	// Found and Row are what was found and which row of the table matched, for logs and tests.
	// Found is empty where nothing had to be read.
	Found Finding
	Row   int
}

// Writes reports whether the decision sends a request that changes the outside system.
func (d Decision) Writes() bool {
	switch d.Action {
	case Change, Create, Delete, Disable, Remove:
		return d.Verdict == Act
	}
	return d.Mark
}

// Finished reports whether the API object may be removed.
func (d Decision) Finished() bool {
	return d.Verdict == Act && (d.Action == Done || d.Action == Leave)
}
