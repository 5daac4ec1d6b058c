// SPDX-License-Identifier: Apache-2.0

package outside

import (
	"context"
	"errors"
	"fmt"

	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// maxSteps limits the decisions of one run. The longest sequence is: record that an object is lost,
// remove what an interrupted create left after a live observation, create, and change.
const maxSteps = 8

// errUnsettled ends a run that exceeds maxSteps. The next run continues.
var errUnsettled = errors.New("the outside object changes while it is looked at")

// Ensure brings the outside object to the wanted state and returns its id. The error is a
// *StoppedError if the decision was to wait or to refuse, and otherwise the error of a step. After
// an error, the draft of the status holds a ledger that is not yet stored: the caller must write
// the status in either case.
func Ensure(ctx context.Context, o Object) (string, error) {
	live := false
	for range maxSteps {
		d, err := o.decide(ctx, live)
		if err != nil {
			return "", err
		}
		live = d.Action == ownership.Look
		switch {
		case d.Verdict != ownership.Act:
			o.Ledger().Records = d.Ledger
			return "", &StoppedError{Decision: d}
		case d.Action == ownership.Look:
		case d.Action == ownership.Change:
			o.Ledger().Records = d.Ledger
			return d.ID, o.Change(ctx, d.ID)
		case d.Action == ownership.Create:
			id, err := o.create(ctx, d)
			if err != nil || !o.Rename {
				return id, err
			}
			if err := o.Store(ctx); err != nil {
				return "", err
			}
		default:
			if err := o.step(ctx, d); err != nil {
				return "", err
			}
		}
	}
	return "", errUnsettled
}

// step carries out a decision that neither creates the object nor ends the run.
func (o *Object) step(ctx context.Context, d ownership.Decision) error {
	if err := o.store(ctx, d); err != nil {
		return err
	}
	switch d.Action {
	case ownership.Adopt, ownership.Regain, ownership.Lose:
	case ownership.Remove, ownership.Delete:
		if err := o.Delete(ctx, d.ID); err != nil {
			return err
		}
	default:
		return fmt.Errorf("row %d: action %s does not belong here", d.Row, d.Action)
	}
	o.notify(d)
	return nil
}

// create stores the intent, verifies that the API server kept it, and creates the object.
func (o *Object) create(ctx context.Context, d ownership.Decision) (string, error) {
	if o.Prepare != nil {
		release, err := o.Prepare(ctx)
		if err != nil {
			return "", err
		}
		defer release()
	}
	o.Ledger().Records = d.Ledger
	if err := o.Store(ctx); err != nil {
		return "", err
	}
	if !d.Ledger.Keeps(o.Want.Slot, o.Ledger().Records) {
		return "", &StoppedError{Decision: ownership.LedgerNotKept(d)}
	}
	id, err := o.Create(ctx, d.Key)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused) && d.Row == rowAbsent:
		// With an intent from before, an earlier create may still take effect.
		o.Ledger().Records = ownership.Ledger(o.Ledger().Records).Withdraw(o.Want.Slot)
		return "", err
	case err != nil:
		return "", err
	}
	o.Ledger().Records = ownership.Ledger(o.Ledger().Records).Hold(o.Want.Slot, id, ownership.Created, o.Now())
	d.ID = id
	o.notify(d)
	return id, nil
}
