// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"time"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// Object is the outside object of an API object. Disable and Mark may be nil if the kind never
// needs them.
type Object struct {
	Want     ownership.Want
	Endpoint ownership.Endpoint
	// Ledger returns the ownership in the draft of the status, never nil.
	Ledger func() *ownership.Status
	// Store writes the draft of the status and replaces it by the response of the API server. It
	// returns an error if the API object is not the one that was read.
	Store func(ctx context.Context) error
	// Observe reads the outside system. If live is set, it reads the outside system, the API object
	// and its Secrets without caches, and sets Observed.Live.
	Observe func(ctx context.Context, live bool) (ownership.Observed, error)
	// Prepare is called before the intent of a create is stored, to reserve what the create needs.
	// release is called when the create has ended. Optional.
	Prepare func(ctx context.Context) (release func(), err error)
	// Create creates the object with the key, stores what only the response contains, and returns
	// the id. A *RefusedError means that the object was certainly not created.
	Create func(ctx context.Context, key string) (id string, err error)
	// Rename is set if Change sets a reference other than the create key on a created object. The
	// id is stored before that: afterwards, the reference no longer proves that this API object
	// created it.
	Rename bool
	// Change updates the object with the id to match the spec.
	Change func(ctx context.Context, id string) error
	// Delete deletes the object with the id. It returns nil if the object does not exist.
	Delete func(ctx context.Context, id string) error
	// Disable disables the object with the id.
	Disable func(ctx context.Context, id string) error
	// Mark changes the reference of the object with the id to Want.Retained.
	Mark func(ctx context.Context, id string) error
	// Notify is called after a decision was carried out, to emit events and update metrics.
	// Optional.
	Notify func(ownership.Decision)
	// Now returns the current time.
	Now func() time.Time
}

// RefusedError is the error of a create that certainly had no effect.
type RefusedError struct{ Err error }

// Error returns the message of the cause.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

// StoppedError is the error of a decision to wait or to refuse.
type StoppedError struct{ Decision ownership.Decision }

// Error returns the message of the decision, which says what ends the wait.
func (e *StoppedError) Error() string { return e.Decision.Message }

// decide observes and decides. Some decisions need no observation of the outside system: that
// nothing is recorded, that no write is allowed, and that the object is retained.
func (o *Object) decide(ctx context.Context, live bool) (ownership.Decision, error) {
	decision := func(observed ownership.Observed) ownership.Decision {
		return ownership.Decide(o.Want, observed, o.Ledger().Records, o.Endpoint, o.Now())
	}
	blind := decision(ownership.Observed{})
	if blind.Row == rowNotRecorded || blind.Row == rowUnverified {
		return blind, nil
	}
	observed, err := o.Observe(ctx, live)
	switch {
	case err != nil && blind.Row == rowRetain && ctx.Err() == nil:
		return blind, nil
	case err != nil:
		return ownership.Decision{}, err
	}
	return decision(observed), nil
}

// Rows of ownership.Decide. The first three need no observation; rowRetain uses an observation if
// there is one.
const (
	rowRetain      = 1
	rowNotRecorded = 2
	rowUnverified  = 3
	// rowAbsent creates without an earlier intent.
	rowAbsent = 13
)

// store stores the ledger of the decision if it differs from that of the draft, and verifies that
// the API server kept it.
func (o *Object) store(ctx context.Context, d ownership.Decision) error {
	if d.Ledger.Equal(o.Ledger().Records) {
		return nil
	}
	return StoreLedger(ctx, o.Ledger, d, o.Store)
}

// StoreLedger writes the ledger of a decision and verifies that the API server kept it. ledger
// returns the ownership in the draft of the status, and must not return nil; store writes that
// draft and replaces it by the response of the API server. The error is a *StoppedError if the
// response has a different ledger, and otherwise the error of store.
func StoreLedger(
	ctx context.Context, ledger func() *ownership.Status, d ownership.Decision, store func(context.Context) error,
) error {
	ledger().Records = d.Ledger
	if err := store(ctx); err != nil {
		return err
	}
	if !d.Ledger.Equal(ledger().Records) {
		return &StoppedError{Decision: ownership.LedgerNotKept(d)}
	}
	return nil
}

func (o *Object) notify(d ownership.Decision) {
	if o.Notify != nil {
		o.Notify(d)
	}
}
