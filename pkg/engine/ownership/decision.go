// SPDX-License-Identifier: Apache-2.0

package ownership

import "time"

// Verdict is the kind of a Decision.
type Verdict string

const (
	// Act means that Decision.Action must be performed.
	Act Verdict = "Act"
	// Wait means that nothing must be done until Decision.After, or until the observed state changes.
	Wait Verdict = "Wait"
	// Refuse means that nothing must be done until a user changes the spec or the outside
	// object.
	Refuse Verdict = "Refuse"
)

// Action is an action to perform. Unless noted, it is a request to the outside system.
type Action string

const (
	// Change updates the object with Decision.ID according to the spec. If Observed came from a cache,
	// the object is read again and decided on before its reference is changed.
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
	// Remove deletes the object with Decision.ID, which an interrupted create left and which is not
	// in use.
	Remove Action = "Remove"
	// Leave ends the deletion of the API object. The outside object with Decision.ID stays, which
	// an event reports. It sends no request.
	Leave Action = "Leave"
	// Done ends the deletion of the API object. It sends no request.
	Done Action = "Done"
	// Look requests to read everything again, bypassing all caches, and to decide again with
	// Observed.Live set. It precedes everything that cannot be undone.
	Look Action = "Look"
)

// The reasons of Wait and Refuse, in addition to those of the endpoint.
const (
	// ReasonSearchIncomplete: what was read is incomplete or contradicts itself.
	ReasonSearchIncomplete = "SearchIncomplete"
	// ReasonReferenceChanged: the held object has a reference that Roadstead did not set.
	ReasonReferenceChanged = "ReferenceChanged"
	// ReasonVanished: the held object no longer exists in the outside system.
	ReasonVanished = "Vanished"
	// ReasonTaken: an object that Roadstead did not create has the name in the spec.
	ReasonTaken = "Taken"
	// ReasonInterruptedCreate: the result of an interrupted create is removed soon.
	ReasonInterruptedCreate = "InterruptedCreate"
	// ReasonCreateUnclear: a create was sent and its result is not known.
	ReasonCreateUnclear = "CreateUnclear"
	// ReasonNothingToAdopt: the object to adopt according to the spec does not exist.
	ReasonNothingToAdopt = "NothingToAdopt"
	// ReasonLedgerNotKept: the API server dropped the intent.
	ReasonLedgerNotKept = "LedgerNotKept"
	// ReasonDeletionHeld: more objects are being deleted than is allowed without a release.
	ReasonDeletionHeld = "DeletionHeld"
	// ReasonEndpointVerifying: the identity of the outside system is being checked.
	ReasonEndpointVerifying = "EndpointVerifying"
	// ReasonIdentityChanged: another system responds at the address of the recorded one.
	ReasonIdentityChanged = "IdentityChanged"
	// ReasonHeldByOther: another installation of the same name writes to the outside system.
	ReasonHeldByOther = "HeldByOther"
)

// The durations that Decide uses.
const (
	// CreateWindow is how long a create may take effect after its intent was stored. Requests end
	// after 3 minutes.
	CreateWindow = 4 * time.Minute
	// VanishedWindow is the minimum time between two complete lists that both lack a held object.
	VanishedWindow = time.Minute
	// RemovalGrace is the minimum age of an intent before the result of its create is removed for the first time.
	RemovalGrace = 10 * time.Second
	// FenceGrace is how long after the change of leader the former leader may still write.
	FenceGrace = 30 * time.Second
	// pause is the wait if no other time applies.
	pause = time.Minute
)

// removalAge returns the minimum age of an intent before the result of its create is removed again:
// 10 s, then 1, 2, 4 … 30 min, so that a create that always exceeds its time-out does not loop.
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
	// Reason and Message are set for Wait, Refuse, Look and Leave. The message describes what ends a
	// wait.
	Reason, Message string
	// After is the maximum time until the next decision. It is set for Wait.
	After time.Duration
	// ID is the outside object that Action concerns. It is empty for Create.
	ID string
	// Key is the create key.
	Key string
	// Ledger must be stored before a request is sent, and its stored form must be read back. It equals
	// the given ledger if nothing changes.
	Ledger Ledger
	// Mark is set if the reference of ID must be changed to Want.Retained first.
	Mark bool
	// Left contains the IDs of objects that remain, or may reappear, under the create key and could
	// not be marked; for an object without a recorded ID it is the key. The caller records them, so
	// that they are marked later and not treated as orphans.
	Left []string
	// Found and Row are the finding and the matching row of the table, for logs and tests. Found is
	// empty if nothing had to be read.
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
